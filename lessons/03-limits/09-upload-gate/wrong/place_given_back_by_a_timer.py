"""A timer gives the place back after the shortest time that an image may take.

Breaks: Fix it: at most CONNECTIONS images are on their way at the same time.
Fault: At most 5 sends may be at work at the same time; 10 were
"""


async def upload(n: int, gate: asyncio.Semaphore) -> str:
    """Send one image as soon as a connection is free."""
    await gate.acquire()
    asyncio.get_running_loop().call_later(FASTEST_MS / 1000, gate.release)
    return await send(n)
