"""Of the errors of query it hands on one kind. Any other ends the task, and nobody gets an answer.

Breaks: or raises what query raises.
Fault: It had not finished at its time limit
"""

from concurrent.futures import Future


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
