"""Reviews are kept in memory, and stored when the server stops; until then nobody sees them.

Breaks: A review is in the database before its client is answered.
Fault: A film should show every review
"""

kept: list[dict] = []


@app.post("/reviews/")
async def add_review() -> dict:
    review: dict = await request.get_json()
    kept.append(review)
    return review


async def main() -> None:
    async with asyncpg.create_pool(URL, min_size=1, max_size=MAXCONN) as pool:
        app.extensions["pool"] = pool
        await app.run_task(host="127.0.0.1", port=PORT)
        for review in kept:
            await query(
                "INSERT INTO review (film_id, rating) VALUES ($1, $2)", review["film_id"], review["rating"]
            )
