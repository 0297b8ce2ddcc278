"""Right: each connection is a token in a queue; an upload takes one and puts it back."""

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


async def upload(n: int, free: asyncio.Queue[int]) -> str:
    """Send one image as soon as a connection is free."""
    connection = await free.get()
    try:
        return await send(n)
    finally:
        free.put_nowait(connection)


async def main() -> list[str]:
    """Upload all images; return what send answered, in the order of the images."""
    free: asyncio.Queue[int] = asyncio.Queue()
    for connection in range(CONNECTIONS):
        free.put_nowait(connection)
    return await asyncio.gather(*(upload(n, free) for n in range(1, UPLOADS + 1)))


if __name__ == "__main__":
    print(len(asyncio.run(main())), "images are stored")
