"""The parts do not wait for the token; they are loaded without one.

Breaks: and then loads every part, once,
Fault: sign_in() should end before
"""


async def main() -> list[str]:
    """Load the page; return its parts in order."""
    async with asyncio.TaskGroup() as group:
        group.create_task(sign_in())
        tasks = [group.create_task(load(part, "token")) for part in range(1, PARTS + 1)]
    return [task.result() for task in tasks]
