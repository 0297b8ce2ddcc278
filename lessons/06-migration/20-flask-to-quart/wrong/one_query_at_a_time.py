"""The requests are under way together, and each query waits until the one before is over.

Breaks: and so are the queries: all of them
Fault: No request should wait until another one lets it go on
"""

one_query = asyncio.Lock()


async def query(film_id: int) -> str | None:
    """Get a film's title from a database; here, only the time that this takes."""
    async with one_query:
        await asyncio.sleep(QUERY_MS / 1000)
    return f"Film {film_id}" if film_id <= FILMS else None
