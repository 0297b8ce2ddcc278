"""Closes the pool only. The thread is a daemon, so the program still ends.

Breaks: and the thread of the event loop has ended and is joined.
Fault: the thread of the event loop should have ended
"""


class Films:
    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()
        self.pool = asyncio.run_coroutine_threadsafe(open_pool(), self.loop).result()

    def close(self) -> None:
        """Close the pool."""
        asyncio.run_coroutine_threadsafe(self.pool.close(), self.loop).result()
