"""Tells the event loop to stop, and does not wait until its thread has ended.

Breaks: and the thread of the event loop has ended and is joined.
Fault: the thread of the event loop should have ended
"""


class Films:
    def close(self) -> None:
        asyncio.run_coroutine_threadsafe(self.pool.close(), self.loop).result()
        self.loop.call_soon_threadsafe(self.loop.stop)
