"""Stops waiting, and leaves the query running.

Breaks: and its query is cancelled.
Fault: should be cancelled when
"""


class Films:
    def length(self, film_id: int) -> int:
        return asyncio.run_coroutine_threadsafe(query(self.pool, film_id), self.loop).result(LIMIT_S)
