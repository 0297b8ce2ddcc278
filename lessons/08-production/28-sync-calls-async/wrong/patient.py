"""It waits longer than LIMIT_S.

Breaks: After LIMIT_S seconds without an answer
Fault: and not wait for the answer
"""


class Films:
    def length(self, film_id: int) -> int:
        asked = asyncio.run_coroutine_threadsafe(query(self.pool, film_id), self.loop)
        try:
            return asked.result(1.4 * LIMIT_S)
        except TimeoutError:
            asked.cancel()
            raise
