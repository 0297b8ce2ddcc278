"""Wrong: one image after another. Nothing is exceeded, but the limit is never reached either."""

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
    return [await upload(n) for n in range(1, UPLOADS + 1)]


if __name__ == "__main__":
    print(len(asyncio.run(main())), "images are stored")
