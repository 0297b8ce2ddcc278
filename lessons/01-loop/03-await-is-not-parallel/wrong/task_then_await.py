"""Each part has a task, but the task is awaited before the next one is made.

Breaks: All parts start loading at the same time, and the page is done as soon as its slowest part
is.
Fault: parts should be open at one moment
"""


async def main() -> list[str]:
    """Load the page; return its parts in order."""
    token = await sign_in()
    page: list[str] = []
    for part in range(1, PARTS + 1):
        task = asyncio.create_task(load(part, token))
        page.append(await task)
    return page
