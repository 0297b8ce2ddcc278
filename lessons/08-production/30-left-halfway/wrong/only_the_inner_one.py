"""amounts would close its generator, but nobody closes amounts.

Breaks: Fix it: when first returns, its connection is back.
Fault: its connection should be back; first(2) returned, and connection 2 came back 0.30 s later, in
another task
"""


async def first(question: int) -> int | str | None:
    """Find the first amount of at least LEAST; None if there is none, "damaged" if a row is damaged first."""
    try:
        async for amount in amounts(question):
            if amount >= LEAST:
                return amount
    except ValueError:
        return "damaged"
    return None
