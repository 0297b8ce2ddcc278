"""Asks for the list of films once, at the start, and answers from memory.

Breaks: Each request asks the database,
Fault: so their answers are not the database's
"""


@app.get("/films/")
async def films() -> list[dict]:
    await asyncio.sleep(0.06)
    kept: list[dict] = app.extensions["films"]
    return kept


async def main() -> None:
    async with asyncpg.create_pool(URL, min_size=1, max_size=MAXCONN) as pool:
        app.extensions["pool"] = pool
        sql = """SELECT film_id, title, (SELECT count(*) FROM review
                 WHERE review.film_id = film.film_id) AS reviews
                 FROM film ORDER BY film_id"""
        app.extensions["films"] = await query(sql)
        await app.run_task(host="127.0.0.1", port=PORT)
