"""Two parts at a time. They overlap, but not all of them.

Breaks: All parts start loading at the same time, and the page is done as soon as its slowest part
is.
Fault: parts should be open at one moment
"""


async def main() -> list[str]:
    """Load the page; return its parts in order."""
    token = await sign_in()
    page: list[str] = []
    for first in range(1, PARTS + 1, 2):
        pair = range(first, min(first + 2, PARTS + 1))
        page += await asyncio.gather(*(load(part, token) for part in pair))
    return page
