"""Right: a gate written by hand, with a Condition."""

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


class Gate:
    """Lets in as many as there are places."""

    def __init__(self, places: int) -> None:
        self.free = places
        self.changed = asyncio.Condition()

    async def __aenter__(self) -> None:
        async with self.changed:
            await self.changed.wait_for(lambda: self.free > 0)
            self.free -= 1

    async def __aexit__(self, *error: object) -> None:
        async with self.changed:
            self.free += 1
            self.changed.notify()


async def upload(n: int, takes_s: float, gate: Gate) -> str:
    """Send one image as soon as a connection is free."""
    async with gate:
        return await send(n, takes_s)


async def main() -> list[str]:
    """Upload all images; return their names in the order of the images."""
    gate = Gate(CONNECTIONS)
    async with asyncio.TaskGroup() as group:
        tasks = [
            group.create_task(upload(n, takes_s, gate)) for n, takes_s in enumerate(draw_durations(), start=1)
        ]
    return [task.result() for task in tasks]


if __name__ == "__main__":
    print(len(asyncio.run(main())), "images are stored")
