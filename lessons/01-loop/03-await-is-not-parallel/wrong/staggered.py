"""Wrong: the parts overlap, but each starts a little later than the one before."""

import asyncio
import random

PARTS = 5
SIGN_IN_S = 0.2
FASTEST_MS = 100
SLOWEST_MS = 500
SEED = 0

network = random.Random(SEED)


async def sign_in() -> str:
    """Get the token that every part needs. Leave this function as it is."""
    token = f"token-{network.randrange(1_000_000):06}"
    await asyncio.sleep(SIGN_IN_S)
    return token


async def load(part: int, token: str) -> str:
    """Load one part. Nobody knows in advance how long it will take. Leave this function as it is."""
    takes_ms, size = network.randint(FASTEST_MS, SLOWEST_MS), network.randint(1, 99)
    await asyncio.sleep(takes_ms / 1000)
    return f"part {part} with {token}: {size} kB"


async def main() -> list[str]:
    """Load the page; return its parts in order."""
    token = await sign_in()
    tasks: list[asyncio.Task[str]] = []
    for part in range(1, PARTS + 1):
        await asyncio.sleep(0.01)
        tasks.append(asyncio.create_task(load(part, token)))
    return [await task for task in tasks]


if __name__ == "__main__":
    print(*asyncio.run(main()), sep="\n")
