"""An upload that finds all connections taken looks again a moment later.

Breaks: While images are left, a connection that becomes free is used immediately.
Breaks: Send one image as soon as a connection is free.
Fault: A connection that becomes free should be used immediately
"""


async def upload(n: int, gate: asyncio.Semaphore) -> str:
    """Send one image as soon as a connection is free."""
    while gate.locked():
        await asyncio.sleep(0.007)
    async with gate:
        return await send(n)
