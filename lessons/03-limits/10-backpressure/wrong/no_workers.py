"""No workers: each photo is developed in its own task as soon as it is read.

Breaks: never more,
Fault: photos may be at work at the same time
"""


async def develop_all() -> list[str]:
    """Read and develop all photos; return the prints in the order of the photos."""
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(develop(await read(n))) for n in range(1, PHOTOS + 1)]
    return [task.result() for task in tasks]
