"""Closes everything before it returns, but not when a row is damaged.

Breaks: Fix it: when first returns, its connection is back.
Fault: its connection should be back; first(5) returned, and connection 1 came back 0.30 s later, in
another task
"""


async def amounts(question: int) -> AsyncGenerator[int]:
    answer = rows(question)
    try:
        async for row in answer:
            yield int(row)
    except GeneratorExit:
        await answer.aclose()
        raise


async def first(question: int) -> int | str | None:
    """Find the first amount of at least LEAST; None if there is none, "damaged" if a row is damaged first."""
    found = amounts(question)
    try:
        async for amount in found:
            if amount >= LEAST:
                await found.aclose()
                return amount
    except ValueError:
        return "damaged"
    return None
