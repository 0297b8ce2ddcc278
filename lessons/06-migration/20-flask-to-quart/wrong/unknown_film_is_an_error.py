"""A film that is not there was answered with 404 before the move.

Breaks: The answers are the same as before: 200 for a film, 404 for one that is not there, and 201
for a review.
Fault: should be answered with status 404
"""


@app.get("/films/<int:film_id>/")
async def film(film_id: int) -> ResponseReturnValue:
    title = await query(film_id)
    assert title is not None
    return {"id": film_id, "title": title}
