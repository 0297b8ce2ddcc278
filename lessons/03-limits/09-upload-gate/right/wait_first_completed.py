"""Right: main keeps CONNECTIONS tasks, and starts the next when one is done; the last image first."""

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


async def upload(n: int) -> tuple[int, str]:
    """Send one image."""
    return n, await send(n=n)


async def main() -> list[str]:
    """Upload all images; return what send answered, in the order of the images."""
    left = list(range(1, UPLOADS + 1))
    running: set[asyncio.Task[tuple[int, str]]] = set()
    answers: dict[int, str] = {}
    while left or running:
        while left and len(running) < CONNECTIONS:
            running.add(asyncio.create_task(upload(left.pop())))
        done, running = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
        answers |= dict(task.result() for task in done)
    return [answers[n] for n in range(1, UPLOADS + 1)]


if __name__ == "__main__":
    print(len(asyncio.run(main())), "images are stored")
