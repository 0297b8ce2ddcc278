"""Release and the end of the block both give the place back: each image that is sent lets two in.

Breaks: Fix it: at most CONNECTIONS images are on their way at the same time.
Fault: At most 5 sends may be at work at the same time;
"""


async def upload(n: int, gate: asyncio.Semaphore) -> str:
    """Send one image as soon as a connection is free."""
    async with gate:
        try:
            return await send(n)
        finally:
            gate.release()  # the connection is free again
