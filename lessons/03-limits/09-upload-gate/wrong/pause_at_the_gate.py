"""Only a pause is behind the gate; the image is sent after it.

Breaks: Fix it: at most CONNECTIONS images are on their way at the same time.
Fault: At most 5 sends may be at work at the same time; 50 were
"""


async def upload(n: int, gate: asyncio.Semaphore) -> str:
    """Send one image as soon as a connection is free."""
    async with gate:
        await asyncio.sleep(0.01)
    return await send(n)
