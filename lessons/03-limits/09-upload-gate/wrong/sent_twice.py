"""One image is sent twice.

Breaks: only once.
Fault: image 1 was sent twice
"""


async def main() -> list[str]:
    """Upload all images; return what send answered, in the order of the images."""
    gate = asyncio.Semaphore(CONNECTIONS)
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(upload(n, gate)) for n in range(1, UPLOADS + 1)]
    await upload(1, gate)
    return [task.result() for task in tasks]
