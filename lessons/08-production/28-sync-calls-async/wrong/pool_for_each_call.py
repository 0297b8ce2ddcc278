"""One event loop, but a pool for each call.

Breaks: They share one pool
Fault: One asyncpg pool should be made, and shared
"""


class Films:
    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever)
        self.thread.start()

    def length(self, film_id: int) -> int:
        async def ask_once() -> int:
            async with asyncpg.create_pool(URL, min_size=1, max_size=THREADS) as pool:
                return await query(pool, film_id)

        asked = asyncio.run_coroutine_threadsafe(ask_once(), self.loop)
        try:
            return asked.result(LIMIT_S)
        except TimeoutError:
            asked.cancel()
            raise

    def close(self) -> None:
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()
        self.loop.close()
