"""The tea steeps at the same time, but there is only one kettle, and each cup waits for it.

Breaks: Make all of them at the same time: together they take as long as a single cup.
Fault: 6 brews should be at work at the same time; there were never more than 4
"""

kettle = asyncio.Lock()


async def brew(n: int) -> str:
    """Make one cup: heat the water, then let the tea steep."""
    async with kettle:
        await asyncio.sleep(HEAT_S)
    await asyncio.sleep(STEEP_S)
    return f"cup {n}"
