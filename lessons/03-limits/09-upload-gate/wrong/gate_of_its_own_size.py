"""One shared gate, but its size is written down instead of taken from CONNECTIONS.

Breaks: Fix it: at most CONNECTIONS images are on their way at the same time.
Fault: sends may be at work at the same time; 5 were
"""


async def main() -> list[str]:
    """Upload all images; return what send answered, in the order of the images."""
    gate = asyncio.Semaphore(5)
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(upload(n, gate)) for n in range(1, UPLOADS + 1)]
    return [task.result() for task in tasks]
