"""A question whose row is damaged returns None, as if there were no large amount.

Breaks: "damaged" if a row is damaged first.
Fault: and should return 'damaged'; it returned None
"""


async def first(question: int) -> int | str | None:
    """Find the first amount of at least LEAST; None if there is none, "damaged" if a row is damaged first."""
    try:
        async with aclosing(amounts(question)) as found:
            async for amount in found:
                if amount >= LEAST:
                    return amount
    except ValueError:
        return None
    return None
