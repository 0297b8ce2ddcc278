"""Waits for as long as it takes.

Breaks: it raises TimeoutError,
Fault: should raise TimeoutError, since there is no answer
"""


class Films:
    def length(self, film_id: int) -> int:
        return asyncio.run_coroutine_threadsafe(query(self.pool, film_id), self.loop).result()
