"""Returns hours, not what query returns.

Breaks: It returns what query returns,
Fault: should return what its query returned
"""


class Films:
    def length(self, film_id: int) -> int:
        asked = asyncio.run_coroutine_threadsafe(query(self.pool, film_id), self.loop)
        try:
            return asked.result(LIMIT_S) // 60
        except TimeoutError:
            asked.cancel()
            raise
