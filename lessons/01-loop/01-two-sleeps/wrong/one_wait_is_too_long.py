"""The water is heated for as long as the tea steeps.

Breaks: Each cup still takes its time:
Fault: brew(1) may take
"""


async def brew(n: int) -> str:
    """Make one cup: heat the water, then let the tea steep."""
    await asyncio.sleep(STEEP_S)
    await asyncio.sleep(STEEP_S)
    return f"cup {n}"
