"""The awaits are there, but the query still blocks the event loop.

Breaks: Nothing blocks the event loop.
Fault: held it for
"""

import time


async def query(film_id: int) -> str | None:
    """Get a film's title from a database; here, only the time that this takes."""
    time.sleep(QUERY_MS / 1000)
    return f"Film {film_id}" if film_id <= FILMS else None
