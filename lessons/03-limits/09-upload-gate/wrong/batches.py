"""Wrong: five at a time, then the next five. The limit holds, but each batch waits for its slowest image."""

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


async def upload(n: int, takes_s: float) -> str:
    """Send one image as soon as a connection is free."""
    return await send(n, takes_s)


async def main() -> list[str]:
    """Upload all images; return their names in the order of the images."""
    jobs = list(enumerate(draw_durations(), start=1))
    names: list[str] = []
    for first in range(0, UPLOADS, CONNECTIONS):
        batch = jobs[first : first + CONNECTIONS]
        names += await asyncio.gather(*(upload(n, takes_s) for n, takes_s in batch))
    return names


if __name__ == "__main__":
    print(len(asyncio.run(main())), "images are stored")
