"""Old code asks for films in THREADS threads, through plain methods. The driver behind them is async, so each
call makes an event loop and a pool, and uses them once.

Fix Films: one event loop, in its own thread, runs all queries. They share one pool of at most THREADS
connections. Calls from several threads wait for the database at the same time. length asks the database each
time. It returns what query returns, or raises what query raises. After LIMIT_S seconds without an answer it
raises TimeoutError, and its query is cancelled. When close returns, the pool is closed, and the thread of the
event loop has ended and is joined.

Run it alone with:  python 28-sync-calls-async.py
"""

import asyncio
import os
from concurrent.futures import ThreadPoolExecutor

import asyncpg

FILMS = 6
THREADS = 3
QUERY_S = 0.3
LIMIT_S = 1.5
SLOW_S = 6.0
SLOW = 900
UNKNOWN = 5000
URL = os.environ.get("DATABASE_URL", "postgresql://postgres@127.0.0.1:5432/postgres")


async def query(pool: asyncpg.Pool, film_id: int) -> int:
    """Ask the database how long a film is. Leave this function as it is."""
    sql = "SELECT (SELECT length FROM film WHERE film_id = $1) FROM pg_sleep($2)"
    minutes = await pool.fetchval(sql, film_id, SLOW_S if film_id == SLOW else QUERY_S)
    if minutes is None:
        raise LookupError(f"there is no film {film_id}")
    return int(minutes)


async def open_pool() -> asyncpg.Pool:
    return await asyncpg.create_pool(URL, min_size=1, max_size=THREADS)


class Films:
    def __init__(self) -> None:
        pass  # TODO: which thread runs the event loop from here on? Who opens the pool?

    def length(self, film_id: int) -> int:
        # TODO: whose event loop is this, and whose pool? Who ends a query that takes too long?
        async def ask() -> int:
            async with await open_pool() as pool:
                return await query(pool, film_id)

        return asyncio.run(ask())

    def close(self) -> None:
        pass  # TODO: where must the pool be closed? What else is there to end?


def main() -> list[int | str]:
    """Ask for films, two that fail, the slow one, and some again. Leave this function as it is."""
    films, some = Films(), range(1, FILMS + 1)
    with ThreadPoolExecutor(THREADS) as threads:
        asked = [threads.submit(films.length, n) for n in (*some, UNKNOWN, 10**10, SLOW)]
        results = [repr(error) if (error := one.exception()) else one.result() for one in asked]
        results += threads.map(films.length, [1, *some, *some])
    films.close()
    return results


if __name__ == "__main__":
    print(main())
