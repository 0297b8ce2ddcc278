"""Right: one worker for each connection takes one image after another out of a queue."""

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
    """Send one image."""
    return await send(n, takes_s)


async def work(images: asyncio.Queue[tuple[int, float]], names: dict[int, str]) -> None:
    """One connection: upload images until none is left."""
    while not images.empty():
        n, takes_s = images.get_nowait()
        names[n] = await upload(n, takes_s)


async def main() -> list[str]:
    """Upload all images; return their names in the order of the images."""
    images: asyncio.Queue[tuple[int, float]] = asyncio.Queue()
    for image in enumerate(draw_durations(), start=1):
        images.put_nowait(image)
    names: dict[int, str] = {}
    await asyncio.gather(*(work(images, names) for _ in range(CONNECTIONS)))
    return [names[n] for n in sorted(names)]


if __name__ == "__main__":
    print(len(asyncio.run(main())), "images are stored")
