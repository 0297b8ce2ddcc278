"""Wrong: the shorter wait comes first, whichever it is."""

import asyncio

CUPS = 6
HEAT_S = 0.1
STEEP_S = 0.3


async def brew(n: int) -> str:
    """Make one cup: heat the water, then let the tea steep."""
    for step_s in sorted((HEAT_S, STEEP_S)):
        await asyncio.sleep(step_s)
    return f"cup {n}"


async def main() -> list[str]:
    """Make all cups; return them in the order of their numbers."""
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(brew(n)) for n in range(1, CUPS + 1)]
    return [task.result() for task in tasks]


if __name__ == "__main__":
    print(asyncio.run(main()))
