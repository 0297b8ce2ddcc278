"""Right: each connection is a token in a queue; an upload takes one and puts it back."""

import asyncio
import random

UPLOADS = 50
CONNECTIONS = 5
FASTEST_MS = 100
SLOWEST_MS = 200
SEED = 0


def draw_durations() -> list[float]:
    """The seconds each image will take. Leave this function as it is."""
    draw = random.Random(SEED)
    return [draw.randint(FASTEST_MS, SLOWEST_MS) / 1000 for _ in range(UPLOADS)]


async def send(n: int, takes_s: float) -> str:
    """The way over the network. Leave this function as it is."""
    await asyncio.sleep(takes_s)
    return f"image-{n}.png"


async def upload(n: int, takes_s: float, free: asyncio.Queue[int]) -> str:
    """Send one image as soon as a connection is free."""
    connection = await free.get()
    try:
        return await send(n, takes_s)
    finally:
        free.put_nowait(connection)


async def main() -> list[str]:
    """Upload all images; return their names in the order of the images."""
    free: asyncio.Queue[int] = asyncio.Queue()
    for connection in range(CONNECTIONS):
        free.put_nowait(connection)
    return await asyncio.gather(
        *(upload(n, takes_s, free) for n, takes_s in enumerate(draw_durations(), start=1))
    )


if __name__ == "__main__":
    print(len(asyncio.run(main())), "images are stored")
