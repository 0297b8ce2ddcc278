"""Waits for half a second until the connection is back; then give_back is cancelled.

Breaks: Fix it: when first returns, its connection is back.
Fault: No task can ever continue
"""

from contextlib import suppress


async def amounts(question: int) -> AsyncGenerator[int]:
    source = rows(question)
    try:
        async for row in source:
            yield int(row)
    finally:
        with suppress(TimeoutError):
            async with asyncio.timeout(0.5):  # it must not hold up the answer for ever
                await source.aclose()
