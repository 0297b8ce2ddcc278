"""Thirty requests come almost together, and the server is down. Each is refused, and asks again immediately.
There is a semaphore, but far too many attempts still begin in a second. There is a deadline, but a request
can still take longer.

Fix request: in any one second at most RATE attempts begin, of all requests together. In each second in which
RATE or more requests wait for an attempt, at least 0.8 * RATE begin; turns of requests that give up may be
lost. A request that is refused, with a ConnectionError, asks again. It ends as soon as an attempt returns an
answer or raises another error, and with the same. If that hasn't happened DEADLINE_S seconds after its start,
it ends then, not before, with a TimeoutError, whatever it is waiting for. When it's over, nothing that it
started goes on. When main is over, no task goes on.

Run it alone with:  python 33-retry-storm.py
"""

import asyncio
import random

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
turns = asyncio.Semaphore(RATE)  # TODO: how many attempts does it let begin in a second?


async def attempt(n: int) -> str:
    """Ask the server once. It never answers to request SILENT. Leave this function as it is."""
    await asyncio.sleep(3600 if n == SILENT else TRIP_S)
    if not up.is_set():
        raise ConnectionRefusedError("the server is down")
    if n == UNKNOWN:
        raise LookupError(f"nothing is known of {n}")
    return f"answer {n}: {random.Random(SEED + n).randint(100, 999)}"


async def request(n: int) -> str:
    """Ask until there is an answer, another error, or no time left."""
    while True:
        try:
            async with turns:  # TODO: what has to happen in a turn, and what outside of it?
                async with asyncio.timeout(DEADLINE_S):  # TODO: what has to be over in this time?
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
