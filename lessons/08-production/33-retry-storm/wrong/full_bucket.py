"""A token bucket that is full at the start: all of its tokens go immediately, and new ones come meanwhile."""

import asyncio
import random
import time

REQUESTS = 30
RATE = 10
DEADLINE_S = 6.0
DOWN_S = 1.0
GAP_S = 0.02
TRIP_S = 0.05
SILENT = 5
UNKNOWN = 20
SEED = 0

up = asyncio.Event()


async def attempt(n: int) -> str:
    """Ask the server once. It never answers to request SILENT. Leave this function as it is."""
    await asyncio.sleep(3600 if n == SILENT else TRIP_S)
    if not up.is_set():
        raise ConnectionRefusedError("the server is down")
    if n == UNKNOWN:
        raise LookupError(f"nothing is known of {n}")
    return f"answer {n}: {random.Random(SEED + n).randint(100, 999)}"


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


async def main() -> list[str]:
    """Start all requests; return the answers, and the names of errors. Leave this function as it is."""
    asyncio.get_running_loop().call_later(DOWN_S, up.set)
    requests: list[asyncio.Task[str]] = []
    for n in range(1, REQUESTS + 1):
        requests.append(asyncio.create_task(request(n)))
        await asyncio.sleep(GAP_S)
    ends = await asyncio.gather(*requests, return_exceptions=True)
    return [end if isinstance(end, str) else type(end).__name__ for end in ends]


if __name__ == "__main__":
    print(*asyncio.run(main()), sep="\n")
