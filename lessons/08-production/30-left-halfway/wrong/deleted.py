"""Deletes the last reference, and thinks that this closes the generator.

Breaks: Fix it: when first returns, its connection is back.
Fault: its connection should be back; first(2) returned, and connection 2 came back 0.30 s later, in
another task
"""


async def amounts(question: int) -> AsyncGenerator[int]:
    async for row in rows(question):
        yield int(row)


async def first(question: int) -> int | str | None:
    """Find the first amount of at least LEAST; None if there is none, "damaged" if a row is damaged first."""
    found = amounts(question)
    try:
        async for amount in found:
            if amount >= LEAST:
                del found
                return amount
    except ValueError:
        return "damaged"
    return None
