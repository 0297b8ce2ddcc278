"""The error that the driver raises for a number that is too large is raised with other words.

Breaks: or raises what query raises.
Fault: should raise the error of its query, which names 10000000000
"""


class Films:
    def length(self, film_id: int) -> int:
        asked = asyncio.run_coroutine_threadsafe(query(self.pool, film_id), self.loop)
        try:
            return asked.result(LIMIT_S)
        except TimeoutError:
            asked.cancel()
            raise
        except asyncpg.DataError as error:
            raise asyncpg.DataError("no such film") from error
