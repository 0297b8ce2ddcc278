"""Wrong: of the errors of query it hands on one kind. Any other ends the task, and nobody gets an answer."""

import asyncio
import os
import threading
from concurrent.futures import Future, ThreadPoolExecutor

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
        self.started: Future[asyncio.AbstractEventLoop] = Future()
        self.thread = threading.Thread(target=asyncio.run, args=(self.serve(),))
        self.thread.start()
        self.loop = self.started.result()

    async def serve(self) -> None:
        """Answer questions with THREADS tasks, until each of them has got a None."""
        self.questions: asyncio.Queue[tuple[int, Future[int]] | None] = asyncio.Queue()
        async with asyncpg.create_pool(URL, min_size=1, max_size=THREADS) as pool:
            self.started.set_result(asyncio.get_running_loop())
            await asyncio.gather(*(self.answer(pool) for _ in range(THREADS)))

    async def answer(self, pool: asyncpg.Pool) -> None:
        while (question := await self.questions.get()) is not None:
            film_id, answer = question
            try:
                answer.set_result(await asyncio.wait_for(query(pool, film_id), LIMIT_S))
            except (LookupError, TimeoutError) as error:
                answer.set_exception(error)

    def length(self, film_id: int) -> int:
        answer: Future[int] = Future()
        self.loop.call_soon_threadsafe(self.questions.put_nowait, (film_id, answer))
        return answer.result()

    def close(self) -> None:
        for _ in range(THREADS):
            self.loop.call_soon_threadsafe(self.questions.put_nowait, None)
        self.thread.join()


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
