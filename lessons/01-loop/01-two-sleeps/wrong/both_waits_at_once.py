"""The tea steeps while the water is being heated.

Breaks: brew waits HEAT_S for the water, then STEEP_S for the tea.
Fault: brew(1) should take at least 400 ms; it took 300 ms
"""


async def brew(n: int) -> str:
    """Make one cup: heat the water, then let the tea steep."""
    await asyncio.gather(asyncio.sleep(HEAT_S), asyncio.sleep(STEEP_S))
    return f"cup {n}"
