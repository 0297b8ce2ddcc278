"""The waits hand the thread back, but each cup is awaited before the next one is begun.

Breaks: Make all of them at the same time: together they take as long as a single cup.
Fault: 6 brews should be at work at the same time; there was never more than 1
"""


async def main() -> list[str]:
    """Make all cups; return them in the order of their numbers."""
    return [await brew(n) for n in range(1, CUPS + 1)]
