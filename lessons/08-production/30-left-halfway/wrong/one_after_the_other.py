"""One question after the other, so that nobody misses a connection.

Breaks: and CONNECTIONS questions fetch their rows at the same time.
Fault: at the same time, each on one of the 3 connections; 1 did
"""

one_at_a_time = asyncio.Lock()


async def first(question: int) -> int | str | None:
    """Find the first amount of at least LEAST; None if there is none, "damaged" if a row is damaged first."""
    try:
        async with one_at_a_time, aclosing(amounts(question)) as found:
            async for amount in found:
                if amount >= LEAST:
                    return amount
    except ValueError:
        return "damaged"
    return None
