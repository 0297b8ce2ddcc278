"""No gate at all.

Breaks: Fix it: at most CONNECTIONS images are on their way at the same time.
Fault: At most 5 sends may be at work at the same time; 50 were
"""


async def upload(n: int) -> str:
    """Send one image as soon as a connection is free."""
    return await send(n)


async def main() -> list[str]:
    """Upload all images; return what send answered, in the order of the images."""
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(upload(n)) for n in range(1, UPLOADS + 1)]
    return [task.result() for task in tasks]
