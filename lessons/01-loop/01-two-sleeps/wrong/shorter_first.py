"""The shorter wait comes first, whichever it is.

Breaks: brew waits HEAT_S for the water, then STEEP_S for the tea.
Fault: for the tea; brew(1) did not
"""


async def brew(n: int) -> str:
    """Make one cup: heat the water, then let the tea steep."""
    for step_s in sorted((HEAT_S, STEEP_S)):
        await asyncio.sleep(step_s)
    return f"cup {n}"
