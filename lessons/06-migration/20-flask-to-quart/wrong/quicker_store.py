"""Storing takes less time than it did, which was not asked for.

Breaks: Leave it as it is.
Fault: should take at least
"""


async def store(film_id: int, rating: int) -> None:
    """Store a review in the database; here, only the time that this takes. Leave it as it is."""
    await asyncio.sleep(QUERY_MS / 2000)
