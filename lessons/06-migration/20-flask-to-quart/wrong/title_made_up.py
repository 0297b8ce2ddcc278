"""The title is made up, since it can be guessed from the number.

Breaks: Each request for a film looks it up with query,
Fault: Each request for a film should look it up with query
"""


@app.get("/films/<int:film_id>/")
async def film(film_id: int) -> ResponseReturnValue:
    await asyncio.sleep(QUERY_MS / 1000)
    title = f"Film {film_id}" if film_id <= FILMS else None
    if title is None:
        return {"error": "no such film"}, 404
    return {"id": film_id, "title": title}
