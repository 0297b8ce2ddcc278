"""A thread takes the blocking call, but it is one thread for all queries.

Breaks: or, in threads, at least four.
Fault: queries should be at work at the same time
"""

import time
from concurrent.futures import ThreadPoolExecutor

pool = ThreadPoolExecutor(max_workers=1)


async def query(film_id: int) -> str | None:
    """Get a film's title from a database; here, only the time that this takes."""
    await asyncio.get_running_loop().run_in_executor(pool, time.sleep, QUERY_MS / 1000)
    return f"Film {film_id}" if film_id <= FILMS else None
