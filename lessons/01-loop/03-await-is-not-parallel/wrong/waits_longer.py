"""It waits for a second, which happens to be long enough, instead of for the parts.

Breaks: All parts start loading at the same time, and the page is done as soon as its slowest part
is.
Fault: main() may take
"""


async def main() -> list[str]:
    """Load the page; return its parts in order."""
    token = await sign_in()
    tasks = [asyncio.create_task(load(part, token)) for part in range(1, PARTS + 1)]
    await asyncio.sleep(1)
    return [task.result() for task in tasks]
