"""Each question returns the last amount that it has read, large or not.

Breaks: and stops at the first amount of at least LEAST,
Breaks: Find the first amount of at least LEAST; None if there is none,
Fault: and should return None; it returned 14
"""


async def first(question: int) -> int | str | None:
    """Find the first amount of at least LEAST; None if there is none, "damaged" if a row is damaged first."""
    amount = None
    try:
        async with aclosing(amounts(question)) as found:
            async for amount in found:
                if amount >= LEAST:
                    break
    except ValueError:
        return "damaged"
    return amount
