"""Right: one worker for each connection takes image after image from one iterator; there is no upload."""

import asyncio
import random
from collections.abc import Iterator

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


async def connection(images: Iterator[int], answers: dict[int, str]) -> None:
    """Send images until none is left."""
    for n in images:
        answers[n] = await send(n)


async def main() -> list[str]:
    """Upload all images; return what send answered, in the order of the images."""
    images = iter(range(1, UPLOADS + 1))
    answers: dict[int, str] = {}
    async with asyncio.TaskGroup() as group:
        for _ in range(CONNECTIONS):
            group.create_task(connection(images, answers))
    return [answers[n] for n in sorted(answers)]


if __name__ == "__main__":
    print(len(asyncio.run(main())), "images are stored")
