"""The names are sorted as text, which is not the order of the images.

Breaks: in the order of the images.
Fault: at place 2 is 'image-10-
"""


async def main() -> list[str]:
    """Upload all images; return what send answered, in the order of the images."""
    gate = asyncio.Semaphore(CONNECTIONS)
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(upload(n, gate)) for n in range(1, UPLOADS + 1)]
    return sorted(task.result() for task in tasks)
