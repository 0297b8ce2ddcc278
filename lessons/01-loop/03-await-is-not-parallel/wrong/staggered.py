"""The parts overlap, but each starts a little later than the one before.

Breaks: All parts start loading at the same time, and the page is done as soon as its slowest part
is.
Fault: main() may take
"""


async def main() -> list[str]:
    """Load the page; return its parts in order."""
    token = await sign_in()
    tasks: list[asyncio.Task[str]] = []
    for part in range(1, PARTS + 1):
        await asyncio.sleep(0.01)
        tasks.append(asyncio.create_task(load(part, token)))
    return [await task for task in tasks]
