"""The limit is kept, by leaving out every image that finds no free connection.

Breaks: Every image is sent,
Breaks: Upload all images; return what send answered,
Fault: 45 were never sent
"""


async def upload(n: int, gate: asyncio.Semaphore) -> str:
    """Send one image as soon as a connection is free."""
    if gate.locked():
        return f"image-{n}.png"
    async with gate:
        return await send(n)
