"""Wrong: an error of the query becomes a length of 0."""

import asyncio
import os
import threading
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
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever)
        self.thread.start()
        self.pool = asyncio.run_coroutine_threadsafe(open_pool(), self.loop).result()

    def length(self, film_id: int) -> int:
        asked = asyncio.run_coroutine_threadsafe(query(self.pool, film_id), self.loop)
        try:
            return asked.result(LIMIT_S)
        except LookupError:
            return 0
        except TimeoutError:
            asked.cancel()
            raise

    def close(self) -> None:
        asyncio.run_coroutine_threadsafe(self.pool.close(), self.loop).result()
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()
        self.loop.close()


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
