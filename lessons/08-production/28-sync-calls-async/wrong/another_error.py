"""Whatever query raises, length raises its own error.

Breaks: or raises what query raises.
Fault: as its query does
"""


class Films:
    def length(self, film_id: int) -> int:
        asked = asyncio.run_coroutine_threadsafe(query(self.pool, film_id), self.loop)
        try:
            return asked.result(LIMIT_S)
        except TimeoutError:
            asked.cancel()
            raise
        except Exception as error:
            raise LookupError("no such film") from error
