"""Two cups at a time. They overlap, but not all of them.

Breaks: Make all of them at the same time: together they take as long as a single cup.
Fault: 6 brews should be at work at the same time; there were never more than 2
"""


async def main() -> list[str]:
    """Make all cups; return them in the order of their numbers."""
    cups: list[str] = []
    for n in range(1, CUPS + 1, 2):
        cups += await asyncio.gather(*(brew(m) for m in range(n, min(n + 2, CUPS + 1))))
    return cups
