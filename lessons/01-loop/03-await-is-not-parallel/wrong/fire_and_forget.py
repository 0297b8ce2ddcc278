"""All parts are started, but main waits for the first one only.

Breaks: and then loads every part, once,
Fault: nobody waited for them
"""


async def main() -> list[str]:
    """Load the page; return its parts in order."""
    token = await sign_in()
    tasks = [asyncio.create_task(load(part, token)) for part in range(1, PARTS + 1)]
    await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    return [task.result() for task in tasks if task.done()]
