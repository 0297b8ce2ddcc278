"""The pool is shared, but each call runs its own event loop. The pool belongs to the first.

Breaks: Fix Films: one event loop, in its own thread, runs all queries.
Fault: The program failed
"""


class Films:
    def __init__(self) -> None:
        """Open the pool."""
        self.pool = asyncio.run(open_pool())

    def length(self, film_id: int) -> int:
        async def with_limit() -> int:
            async with asyncio.timeout(LIMIT_S):
                return await query(self.pool, film_id)

        return asyncio.run(with_limit())

    def close(self) -> None:
        """Close the pool."""
        asyncio.run(self.pool.close())
