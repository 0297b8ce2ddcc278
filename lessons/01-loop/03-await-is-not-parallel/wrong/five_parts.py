"""It loads five parts, however many the page has.

Breaks: and then loads every part, once,
Fault: parts; there were 5
"""


async def main() -> list[str]:
    """Load the page; return its parts in order."""
    token = await sign_in()
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(load(part, token)) for part in range(1, 6)]
    return [task.result() for task in tasks]
