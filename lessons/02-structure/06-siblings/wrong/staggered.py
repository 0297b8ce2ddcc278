"""Each part starts a little later than the one before.

Breaks: All parts start at the same moment.
Fault: All parts should start at the same moment
"""


async def send_album() -> None:
    """Send all parts at the same time. When this ends, nothing that it started is still running."""
    async with asyncio.TaskGroup() as group:
        for n in range(1, PARTS + 1):
            group.create_task(send(n))
            await asyncio.sleep(0.01)
