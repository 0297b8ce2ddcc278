"""Everything is awaited, behind a lock that lets through one request.

Breaks: All requests are under way at the same time,
Fault: No request should wait until another one lets it go on
"""

lock = asyncio.Lock()


@app.get("/films/<int:film_id>/")
async def film(film_id: int) -> ResponseReturnValue:
    async with lock:
        title = await query(film_id)
    if title is None:
        return {"error": "no such film"}, 404
    return {"id": film_id, "title": title}


@app.post("/reviews/")
async def add_review() -> ResponseReturnValue:
    review = await request.get_json()
    async with lock:
        await store(review["film_id"], review["rating"])
    return {"stored": review}, 201
