"""Each thread keeps an event loop and a pool.

Breaks: Fix Films: one event loop, in its own thread, runs all queries.
Fault: One event loop, in its own thread
"""


class Films:
    def __init__(self) -> None:
        """Each thread starts what it needs, at its first call."""
        self.mine, self.all = threading.local(), list[tuple[asyncio.AbstractEventLoop, asyncpg.Pool]]()

    def length(self, film_id: int) -> int:
        if not hasattr(self.mine, "loop"):
            self.mine.loop = asyncio.new_event_loop()
            self.mine.pool = self.mine.loop.run_until_complete(open_pool())
            self.all.append((self.mine.loop, self.mine.pool))

        async def with_limit() -> int:
            async with asyncio.timeout(LIMIT_S):
                return await query(self.mine.pool, film_id)

        return int(self.mine.loop.run_until_complete(with_limit()))

    def close(self) -> None:
        """Close all pools and event loops; their threads wait for work, and none is in its loop."""
        for loop, pool in self.all:
            loop.run_until_complete(pool.close())
            loop.close()
