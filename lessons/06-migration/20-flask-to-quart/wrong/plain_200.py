"""A review was answered with 201 before the move.

Breaks: The answers are the same as before: 200 for a film, 404 for one that is not there, and 201
for a review.
Fault: should be answered with status 201
"""


@app.post("/reviews/")
async def add_review() -> ResponseReturnValue:
    review = await request.get_json()
    await store(review["film_id"], review["rating"])
    return {"stored": review}
