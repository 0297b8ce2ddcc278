"""Each review is stored twice.

Breaks: Each review is stored with store, once
Fault: 20 were stored, of 10
"""


@app.post("/reviews/")
async def add_review() -> ResponseReturnValue:
    review = await request.get_json()
    one, two = (store(review["film_id"], review["rating"]) for _ in range(2))
    await asyncio.gather(one, two)
    return {"stored": review}, 201
