"""A rating above 5 is stored as 5.

Breaks: as it was sent,
Fault: stored as it was sent
"""

from typing import Any


@app.post("/reviews/")
async def add_review() -> ResponseReturnValue:
    review: Any = await request.get_json()
    await store(review["film_id"], min(5, max(1, review["rating"])))
    return {"stored": review}, 201
