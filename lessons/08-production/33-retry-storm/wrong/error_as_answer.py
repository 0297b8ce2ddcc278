"""Returns the name of the error instead of raising it. main prints the same."""

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
turns = asyncio.Lock()


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
    try:
        async with asyncio.timeout(DEADLINE_S):
            while True:
                async with turns:
                    await asyncio.sleep(1 / RATE)
                try:
                    return await attempt(n)
                except ConnectionError:
                    continue
    except (TimeoutError, LookupError) as error:
        return type(error).__name__


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
