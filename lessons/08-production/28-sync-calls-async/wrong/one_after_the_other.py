"""A lock around the call. One thread at a time waits for the database.

Breaks: Calls from several threads wait for the database at the same time.
Fault: queries should be at work at the same time
"""


class Films:
    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever)
        self.thread.start()
        self.pool = asyncio.run_coroutine_threadsafe(open_pool(), self.loop).result()
        self.lock = threading.Lock()

    def length(self, film_id: int) -> int:
        with self.lock:
            asked = asyncio.run_coroutine_threadsafe(query(self.pool, film_id), self.loop)
            try:
                return asked.result(LIMIT_S)
            except TimeoutError:
                asked.cancel()
                raise
