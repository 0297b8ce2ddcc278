"""The review is stored by a task that nobody waits for.

Breaks: before its request is answered.
Fault: Each review should be stored once, before its request is answered
"""


@app.post("/reviews/")
async def add_review() -> ResponseReturnValue:
    review = await request.get_json()
    app.add_background_task(store, review["film_id"], review["rating"])
    return {"stored": review}, 201
