"""When the time is over, it cancels the query and returns 0.

Breaks: it raises TimeoutError,
Fault: should raise TimeoutError, since there is no answer
"""


class Films:
    def length(self, film_id: int) -> int:
        asked = asyncio.run_coroutine_threadsafe(query(self.pool, film_id), self.loop)
        try:
            return asked.result(LIMIT_S)
        except TimeoutError:
            asked.cancel()
            return 0
