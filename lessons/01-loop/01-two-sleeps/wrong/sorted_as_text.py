"""Sorted as text, cup 10 comes before cup 2.

Breaks: in the order of the numbers.
Fault: in the order of their numbers
"""


async def main() -> list[str]:
    """Make all cups; return them in the order of their numbers."""
    return sorted([await cup for cup in asyncio.as_completed([brew(n) for n in range(1, CUPS + 1)])])
