"""Five tokens in a queue, so at most five queries run at a time and the rest wait for a token.

Breaks: and so are the queries: all of them
Fault: No request should wait until another one lets it go on
"""

from typing import Any

connections: asyncio.Queue[int] = asyncio.Queue()
for number in range(5):
    connections.put_nowait(number)


async def query(film_id: int) -> str | None:
    """Get a film's title from a database; here, only the time that this takes."""
    number = await connections.get()
    try:
        await asyncio.sleep(QUERY_MS / 1000)
    finally:
        connections.put_nowait(number)
    return f"Film {film_id}" if film_id <= FILMS else None


@app.post("/reviews/")
async def add_review() -> ResponseReturnValue:
    review: Any = await request.get_json()
    await store(review["film_id"], review["rating"])
    return {"stored": review}, 201
