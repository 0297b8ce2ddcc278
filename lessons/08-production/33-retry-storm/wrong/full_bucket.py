"""A token bucket that is full at the start: all of its tokens go immediately, and new ones come meanwhile.

Breaks: Fix request: in any one second at most RATE attempts begin, of all requests together.
Fault: In any one second, at most
"""

import time


class Bucket:
    """RATE tokens come in a second, and RATE fit in."""

    def __init__(self) -> None:
        self._lock = asyncio.Lock()
        self._tokens, self._filled_s = float(RATE), time.monotonic()

    async def take(self) -> None:
        async with self._lock:
            self._fill()
            if self._tokens < 1:
                await asyncio.sleep((1 - self._tokens) / RATE)
                self._fill()
            self._tokens -= 1

    def _fill(self) -> None:
        now_s = time.monotonic()
        self._tokens = min(RATE, self._tokens + (now_s - self._filled_s) * RATE)
        self._filled_s = now_s


bucket = Bucket()


async def request(n: int) -> str:
    """Ask until there is an answer, another error, or no time left."""
    async with asyncio.timeout(DEADLINE_S):
        while True:
            await bucket.take()
            try:
                return await attempt(n)
            except ConnectionError:
                continue
