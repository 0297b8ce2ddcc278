"""Only one of the two waits hands the thread back.

Breaks: Make all of them at the same time: together they take as long as a single cup.
Fault: No step may hold the event loop longer than 50 ms
"""

import time


async def brew(n: int) -> str:
    """Make one cup: heat the water, then let the tea steep."""
    await asyncio.sleep(HEAT_S)
    time.sleep(STEEP_S)
    return f"cup {n}"
