"""Right: a queue with room for as many as there are connections; who finds no room waits."""

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


async def upload(n: int, takes_s: float, under_way: asyncio.Queue[int]) -> str:
    """Send one image as soon as a connection is free."""
    await under_way.put(n)
    try:
        return await send(n, takes_s)
    finally:
        under_way.get_nowait()


async def main() -> list[str]:
    """Upload all images; return their names in the order of the images."""
    under_way: asyncio.Queue[int] = asyncio.Queue(CONNECTIONS)
    async with asyncio.TaskGroup() as group:
        tasks = [
            group.create_task(upload(n, takes_s, under_way))
            for n, takes_s in enumerate(draw_durations(), start=1)
        ]
    return [task.result() for task in tasks]


if __name__ == "__main__":
    print(len(asyncio.run(main())), "images are stored")
