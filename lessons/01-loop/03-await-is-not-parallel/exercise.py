"""A page has parts. Each part needs the token that signing in returns, and no part needs another part.

Write main. It signs in, once, and then loads every part, once, with that token. All parts start loading at
the same time, and the page is done as soon as its slowest part is. main returns what load returned, in the
order of the parts, whichever finishes first.

Run it alone with:  python 03-await-is-not-parallel.py
"""

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
    return []  # TODO: which of the calls have to be started before you wait for one?


if __name__ == "__main__":
    print(*asyncio.run(main()), sep="\n")
