"""One part is loaded twice, and the last one never.

Breaks: and then loads every part, once,
Fault: part 5 was not
"""


async def main() -> list[str]:
    """Load the page; return its parts in order."""
    token = await sign_in()
    loaded = await asyncio.gather(*(load(min(part, PARTS - 1), token) for part in range(1, PARTS + 1)))
    return list(loaded)
