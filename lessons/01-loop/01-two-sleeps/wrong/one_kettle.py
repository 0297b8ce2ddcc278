"""Wrong: the tea steeps at the same time, but there is only one kettle, and each cup waits for it."""

import asyncio

CUPS = 6
HEAT_S = 0.1
STEEP_S = 0.3

kettle = asyncio.Lock()


async def brew(n: int) -> str:
    """Make one cup: heat the water, then let the tea steep."""
    async with kettle:
        await asyncio.sleep(HEAT_S)
    await asyncio.sleep(STEEP_S)
    return f"cup {n}"


async def main() -> list[str]:
    """Make all cups; return them in the order of their numbers."""
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(brew(n)) for n in range(1, CUPS + 1)]
    return [task.result() for task in tasks]


if __name__ == "__main__":
    print(asyncio.run(main()))
