"""The first call opens the pool, and while it does, the next ones do so too.

Breaks: They share one pool
Fault: One asyncpg pool should be made, and shared
"""


class Films:
    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever)
        self.thread.start()
        self.pool: asyncpg.Pool | None = None

    def length(self, film_id: int) -> int:
        async def in_pool() -> int:
            if self.pool is None:
                self.pool = await open_pool()
            return await query(self.pool, film_id)

        asked = asyncio.run_coroutine_threadsafe(in_pool(), self.loop)
        try:
            return asked.result(LIMIT_S)
        except TimeoutError:
            asked.cancel()
            raise

    def close(self) -> None:
        if self.pool is not None:
            asyncio.run_coroutine_threadsafe(self.pool.close(), self.loop).result()
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()
        self.loop.close()
