"""A pool with the default size, and so it opens ten connections.

Breaks: of at most THREADS connections.
Fault: asyncpg connections should be opened; 10 were
"""


async def wide_pool() -> asyncpg.Pool:
    return await asyncpg.create_pool(URL)


class Films:
    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever)
        self.thread.start()
        self.pool = asyncio.run_coroutine_threadsafe(wide_pool(), self.loop).result()
