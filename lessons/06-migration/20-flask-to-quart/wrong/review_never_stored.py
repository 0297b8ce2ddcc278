"""The coroutine is made, and nobody runs it; the answer says that all is well.

Breaks: Each review is stored with store, once
Fault: Each review should be stored once, before its request is answered
"""


@app.post("/reviews/")
async def add_review() -> ResponseReturnValue:
    review = await request.get_json()
    _ = store(review["film_id"], review["rating"])
    return {"stored": review}, 201
