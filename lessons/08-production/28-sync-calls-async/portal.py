"""Old code handles requests in threads, and its database driver is async: how can one call the other?

Predict how many connections are opened before you run it:  python portal.py
"""

import asyncio
import os
import threading
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
    return await query(shared.pool, film_id)


def length(film_id: int) -> int:
    return asyncio.run_coroutine_threadsafe(ask(film_id), shared.loop).result(GIVE_UP_S)


def handle(film_id: int) -> None:  # old code, without async and await
    try:
        print(f"film {film_id}: {length(film_id)} minutes")
    except TimeoutError:
        print(f"film {film_id}: no answer after {GIVE_UP_S} s")


def main() -> None:
    shared.loop = asyncio.new_event_loop()
    loop_thread = threading.Thread(target=shared.loop.run_forever)
    loop_thread.start()
    shared.pool = asyncio.run_coroutine_threadsafe(open_pool(), shared.loop).result()
    with ThreadPoolExecutor(THREADS) as threads:
        threads.map(handle, range(1, REQUESTS + 1))
    asyncio.run_coroutine_threadsafe(shared.pool.close(), shared.loop).result()
    shared.loop.call_soon_threadsafe(shared.loop.stop)
    loop_thread.join()
    shared.loop.close()


if __name__ == "__main__":
    main()
