"""A review is stored, with the film and the rating swapped.

Breaks: as it was sent,
Fault: store(12, 7) was called
"""


@app.post("/reviews/")
async def add_review() -> ResponseReturnValue:
    review = await request.get_json()
    await store(review["rating"], review["film_id"])
    return {"stored": review}, 201
