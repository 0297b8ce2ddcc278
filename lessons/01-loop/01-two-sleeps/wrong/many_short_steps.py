"""Each wait is cut into short ones that still keep the thread.

Breaks: Make all of them at the same time: together they take as long as a single cup.
Fault: While a cup waits, it should leave the thread to the others; brew(1) kept taking it back
"""

import time


async def brew(n: int) -> str:
    """Make one cup: heat the water, then let the tea steep."""
    for _ in range(40):
        time.sleep((HEAT_S + STEEP_S) / 40)
        await asyncio.sleep(0)
    return f"cup {n}"
