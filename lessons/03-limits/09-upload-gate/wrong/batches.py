"""Five at a time, then the next five. The limit holds, but each batch waits for its slowest image.

Breaks: While images are left, a connection that becomes free is used immediately.
Fault: A connection that becomes free should be used immediately
"""


async def upload(n: int) -> str:
    """Send one image as soon as a connection is free."""
    return await send(n)


async def main() -> list[str]:
    """Upload all images; return what send answered, in the order of the images."""
    names: list[str] = []
    for first in range(1, UPLOADS + 1, CONNECTIONS):
        batch = range(first, min(first + CONNECTIONS, UPLOADS + 1))
        names += await asyncio.gather(*(upload(n) for n in batch))
    return names
