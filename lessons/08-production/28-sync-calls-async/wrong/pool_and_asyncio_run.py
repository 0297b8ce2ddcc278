"""Wrong: the pool is shared, but each call runs its own event loop. The pool belongs to the first."""

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
        """Open the pool."""
        self.pool = asyncio.run(open_pool())

    def length(self, film_id: int) -> int:
        async def with_limit() -> int:
            async with asyncio.timeout(LIMIT_S):
                return await query(self.pool, film_id)

        return asyncio.run(with_limit())

    def close(self) -> None:
        """Close the pool."""
        asyncio.run(self.pool.close())


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
