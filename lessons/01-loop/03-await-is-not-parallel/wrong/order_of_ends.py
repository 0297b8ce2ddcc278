"""The parts are on the page in the order in which they finished.

Breaks: in the order of the parts, whichever finishes first.
Fault: in the order of the parts
"""


async def main() -> list[str]:
    """Load the page; return its parts in order."""
    token = await sign_in()
    tasks = [asyncio.create_task(load(part, token)) for part in range(1, PARTS + 1)]
    return [await ended for ended in asyncio.as_completed(tasks)]
