"""What get_json gives here is a coroutine, and has no film_id.

Breaks: Finish the move.
Fault: got status 500
"""

from typing import Any


@app.post("/reviews/")
async def add_review() -> ResponseReturnValue:
    review: Any = request.get_json()
    await store(review["film_id"], review["rating"])
    return {"stored": review}, 201
