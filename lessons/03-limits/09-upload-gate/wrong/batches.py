"""Wrong: five at a time, then the next five. The limit holds, but each batch waits for its slowest image."""

import asyncio
import random

UPLOADS = 50
CONNECTIONS = 5
FASTEST_MS = 100
SLOWEST_MS = 200
SEED = 0

network = random.Random(SEED)


async def send(n: int) -> str:
    """Send one image. Nobody knows in advance how long it will take. Leave this function as it is."""
    takes_ms, receipt = network.randint(FASTEST_MS, SLOWEST_MS), network.randrange(1_000_000)
    await asyncio.sleep(takes_ms / 1000)
    return f"image-{n}-{receipt:06}.png"


async def upload(n: int) -> str:
    """Send one image as soon as a connection is free."""
    return await send(n)


async def main() -> list[str]:
    """Upload all images; return what send answered, in the order of the images."""
    names: list[str] = []
    for first in range(1, UPLOADS + 1, CONNECTIONS):
        batch = range(first, min(first + CONNECTIONS, UPLOADS + 1))
        names += await asyncio.gather(*(upload(n) for n in batch))
    return names


if __name__ == "__main__":
    print(len(asyncio.run(main())), "images are stored")
