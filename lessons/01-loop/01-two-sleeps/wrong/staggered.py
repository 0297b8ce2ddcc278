"""The cups overlap, but each starts a little later than the one before.

Breaks: Make all of them at the same time: together they take as long as a single cup.
Fault: main() may take 401 ms at most
"""


async def main() -> list[str]:
    """Make all cups; return them in the order of their numbers."""
    async with asyncio.TaskGroup() as group:
        tasks = []
        for n in range(1, CUPS + 1):
            tasks.append(group.create_task(brew(n)))
            await asyncio.sleep(0.02)
    return [task.result() for task in tasks]
