"""At most five queries run at a time; the others look again and again whether it is their turn.

Breaks: and so are the queries: all of them
Fault: No request should sleep until it is its turn
"""

at_work: list[int] = []


async def query(film_id: int) -> str | None:
    """Get a film's title from a database; here, only the time that this takes."""
    while len(at_work) == 5:
        await asyncio.sleep(0.01)
    at_work.append(film_id)
    await asyncio.sleep(QUERY_MS / 1000)
    at_work.remove(film_id)
    return f"Film {film_id}" if film_id <= FILMS else None
