"""All as it should be, but each call runs its own event loop, with its own pool.

Breaks: Fix Films: one event loop, in its own thread, runs all queries.
Fault: One event loop, in its own thread
"""


class Films:
    def __init__(self) -> None:
        """Nothing to start: each call starts what it needs."""

    def length(self, film_id: int) -> int:
        async def with_limit() -> int:
            pool = await open_pool()
            try:
                async with asyncio.timeout(LIMIT_S):
                    return await query(pool, film_id)
            finally:
                await pool.close()

        return asyncio.run(with_limit())

    def close(self) -> None:
        """Nothing to close."""
