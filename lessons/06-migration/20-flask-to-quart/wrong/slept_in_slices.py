"""Sleeps in the event loop, a few milliseconds at a time.

Breaks: Nothing blocks the event loop.
Fault: should not call time.sleep
"""

import time
from typing import Any


async def query(film_id: int) -> str | None:
    """Get a film's title from a database; here, only the time that this takes."""
    until = time.monotonic() + QUERY_MS / 1000
    while time.monotonic() < until:
        time.sleep(0.005)
        await asyncio.sleep(0)
    return f"Film {film_id}" if film_id <= FILMS else None


@app.post("/reviews/")
async def add_review() -> ResponseReturnValue:
    review: Any = await request.get_json()
    await store(review["film_id"], review["rating"])
    return {"stored": review}, 201
