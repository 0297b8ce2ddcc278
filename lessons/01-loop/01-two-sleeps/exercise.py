"""Each of the six cups has its own task, but they are still made one after another. Make all of them at the
same time: together they take as long as a single cup.

Each cup still takes its time: brew waits HEAT_S for the water, then STEEP_S for the tea. Every cup is made,
and only once. main returns what brew returned, in the order of the numbers.

Run it alone with:  python 01-two-sleeps.py
"""

import asyncio
import time

CUPS = 6
HEAT_S = 0.1
STEEP_S = 0.3


async def brew(n: int) -> str:
    """Make one cup: heat the water, then let the tea steep."""
    time.sleep(HEAT_S)  # TODO: who has the thread during this?
    time.sleep(STEEP_S)  # TODO: and here?
    return f"cup {n}"


async def main() -> list[str]:
    """Make all cups; return them in the order of their numbers."""
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(brew(n)) for n in range(1, CUPS + 1)]
    return [task.result() for task in tasks]


if __name__ == "__main__":
    print(asyncio.run(main()))
