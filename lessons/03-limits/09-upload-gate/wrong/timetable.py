"""No gate, but a timetable made from the longest time: each connection is used every SLOWEST_MS.

Breaks: While images are left, a connection that becomes free is used immediately.
Fault: A connection that becomes free should be used immediately
"""


async def upload(n: int) -> str:
    """Send one image as soon as a connection is free."""
    await asyncio.sleep((n - 1) // CONNECTIONS * SLOWEST_MS / 1000)
    return await send(n)


async def main() -> list[str]:
    """Upload all images; return what send answered, in the order of the images."""
    return list(await asyncio.gather(*(upload(n) for n in range(1, UPLOADS + 1))))
