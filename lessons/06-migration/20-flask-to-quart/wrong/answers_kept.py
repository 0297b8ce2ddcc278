"""A film is looked up for the first requests, and later ones get what was kept.

Breaks: Each request for a film looks it up with query,
Fault: Each request for a film should look it up with query
"""

titles: dict[int, str | None] = {}


@app.get("/films/<int:film_id>/")
async def film(film_id: int) -> ResponseReturnValue:
    if film_id not in titles:
        titles[film_id] = await query(film_id)
    title = titles[film_id]
    if title is None:
        return {"error": "no such film"}, 404
    return {"id": film_id, "title": title}
