"""Asyncio.sleep is called, but not awaited, so nobody waits for anything.

Breaks: Each cup still takes its time:
Fault: nobody awaited it, so it never ran
"""


async def brew(n: int) -> str:
    """Make one cup: heat the water, then let the tea steep."""
    asyncio.sleep(HEAT_S)  # type: ignore[unused-coroutine]
    asyncio.sleep(STEEP_S)  # type: ignore[unused-coroutine]
    return f"cup {n}"
