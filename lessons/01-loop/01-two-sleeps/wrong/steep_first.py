"""The tea steeps, and then the water is heated.

Breaks: brew waits HEAT_S for the water, then STEEP_S for the tea.
Fault: and then 0.3 s for the tea; brew(1) did not
"""


async def brew(n: int) -> str:
    """Make one cup: heat the water, then let the tea steep."""
    await asyncio.sleep(STEEP_S)
    await asyncio.sleep(HEAT_S)
    return f"cup {n}"
