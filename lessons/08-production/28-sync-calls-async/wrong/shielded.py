"""The time limit cancels the wait for the query, but not the query.

Breaks: and its query is cancelled.
Fault: should be cancelled when
"""


class Films:
    def length(self, film_id: int) -> int:
        async def with_limit() -> int:
            async with asyncio.timeout(LIMIT_S):
                return await asyncio.shield(query(self.pool, film_id))

        return asyncio.run_coroutine_threadsafe(with_limit(), self.loop).result()
