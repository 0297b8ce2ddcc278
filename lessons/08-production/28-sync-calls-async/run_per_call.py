"""Old code handles requests in threads, and its database driver is async: how can one call the other?

Predict how many connections are opened before you run it:  python run_per_call.py
"""

import asyncio
import os
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import asyncpg

REQUESTS = 6
THREADS = 3
QUERY_S = 0.2
GIVE_UP_S = 0.8
URL = os.environ.get("DATABASE_URL", "postgresql://postgres@127.0.0.1:5432/postgres")
shared = SimpleNamespace()  # what all calls share


async def open_pool() -> asyncpg.Pool:
    return await asyncpg.create_pool(URL, min_size=1, max_size=THREADS)


async def query(pool: asyncpg.Pool, film_id: int) -> int:
    sql = "SELECT length FROM film, pg_sleep($2) WHERE film_id = $1"
    return int(await pool.fetchval(sql, film_id, QUERY_S))


async def ask(film_id: int) -> int:
    async with asyncio.timeout(GIVE_UP_S), await open_pool() as pool:
        return await query(pool, film_id)


def length(film_id: int) -> int:
    return asyncio.run(ask(film_id))


def handle(film_id: int) -> None:  # old code, without async and await
    try:
        print(f"film {film_id}: {length(film_id)} minutes")
    except TimeoutError:
        print(f"film {film_id}: no answer after {GIVE_UP_S} s")


def main() -> None:
    with ThreadPoolExecutor(THREADS) as threads:
        threads.map(handle, range(1, REQUESTS + 1))


if __name__ == "__main__":
    main()
