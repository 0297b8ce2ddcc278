"""One event loop, but no thread of its own: the callers run it, one after the other.

Breaks: Fix Films: one event loop, in its own thread, runs all queries.
Fault: One event loop, in its own thread
"""


class Films:
    def __init__(self) -> None:
        """Open the pool in an event loop that runs only while somebody asks."""
        self.loop, self.lock = asyncio.new_event_loop(), threading.Lock()
        self.pool = self.loop.run_until_complete(open_pool())

    def length(self, film_id: int) -> int:
        async def with_limit() -> int:
            async with asyncio.timeout(LIMIT_S):
                return await query(self.pool, film_id)

        with self.lock:
            return self.loop.run_until_complete(with_limit())

    def close(self) -> None:
        """Close the pool and the event loop."""
        self.loop.run_until_complete(self.pool.close())
        self.loop.close()
