"""Reads all rows, so that no generator is left halfway.

Breaks: A question still fetches no row after the one at which it stops,
Fault: and stop at row 3; it fetched rows 1, 2, 3, 4, 5, 6
"""


async def amounts(question: int) -> AsyncGenerator[int]:
    for row in [row async for row in rows(question)]:
        yield int(row)


async def first(question: int) -> int | str | None:
    """Find the first amount of at least LEAST; None if there is none, "damaged" if a row is damaged first."""
    result = None
    try:
        async for amount in amounts(question):
            if result is None and amount >= LEAST:
                result = amount
    except ValueError:
        return "damaged"
    return result
