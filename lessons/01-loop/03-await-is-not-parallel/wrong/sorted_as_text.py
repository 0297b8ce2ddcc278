"""Sorted as text, part 10 comes before part 2.

Breaks: in the order of the parts, whichever finishes first.
Fault: in the order of the parts
"""


async def main() -> list[str]:
    """Load the page; return its parts in order."""
    token = await sign_in()
    loads = [load(part, token) for part in range(1, PARTS + 1)]
    return sorted([await one for one in asyncio.as_completed(loads)])
