"""A query blocks for less time than is counted as blocking, which is not the time that it takes.

Breaks: which takes as long as it did.
Fault: query(7) should take at least
"""


async def query(film_id: int) -> str | None:
    """Get a film's title from a database; here, only the time that this takes."""
    await asyncio.sleep(0.04)
    return f"Film {film_id}" if film_id <= FILMS else None
