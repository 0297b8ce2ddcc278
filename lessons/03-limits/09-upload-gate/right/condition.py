"""Right: a gate written by hand, with a Condition."""

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


async def upload(n: int, gate: Gate) -> str:
    """Send one image as soon as a connection is free."""
    async with gate:
        return await send(n)


async def main() -> list[str]:
    """Upload all images; return what send answered, in the order of the images."""
    gate = Gate(CONNECTIONS)
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(upload(n, gate)) for n in range(1, UPLOADS + 1)]
    return [task.result() for task in tasks]


if __name__ == "__main__":
    print(len(asyncio.run(main())), "images are stored")
