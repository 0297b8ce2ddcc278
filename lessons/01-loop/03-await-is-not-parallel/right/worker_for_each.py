"""Right: as many workers as there are parts take the parts out of a queue."""

import asyncio
import random

PARTS = 5
SIGN_IN_S = 0.2
FASTEST_MS = 100
SLOWEST_MS = 500
SEED = 0

network = random.Random(SEED)


async def work(parts: asyncio.Queue[int], token: str, page: dict[int, str]) -> None:
    """Load parts until none is left."""
    while not parts.empty():
        part = parts.get_nowait()
        page[part] = await load(part, token)


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
    parts: asyncio.Queue[int] = asyncio.Queue()
    for part in range(1, PARTS + 1):
        parts.put_nowait(part)
    page: dict[int, str] = {}
    await asyncio.gather(*(work(parts, token, page) for _ in range(PARTS)))
    return [page[part] for part in sorted(page)]


if __name__ == "__main__":
    print(*asyncio.run(main()), sep="\n")
