"""Ends the event loop and its thread, and forgets the pool.

Breaks: When close returns, the pool is closed,
Fault: should be closed at the end
"""


class Films:
    def close(self) -> None:
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()
        self.loop.close()
