"""main throws away what brew returned, and makes the names up.

Breaks: main returns what brew returned
Fault: should return 'cup 1'
"""


async def brew(n: int) -> str:
    """Make one cup: heat the water, then let the tea steep."""
    await asyncio.sleep(HEAT_S)
    await asyncio.sleep(STEEP_S)
    return "tea"


async def main() -> list[str]:
    """Make all cups; return them in the order of their numbers."""
    async with asyncio.TaskGroup() as group:
        for n in range(1, CUPS + 1):
            group.create_task(brew(n))
    return [f"cup {n}" for n in range(1, CUPS + 1)]
