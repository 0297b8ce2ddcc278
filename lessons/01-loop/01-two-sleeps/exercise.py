"""Six cups, each in a task of its own, and yet they are made one after another: make all of them overlap.

Leave the times as they are: the water needs HEAT_S, then the tea needs STEEP_S. Every cup is made, and main
returns the cups in the order of their numbers.

Run it alone with:  python exercise.py
"""

import asyncio
import time

CUPS = 6
HEAT_S = 0.1
STEEP_S = 0.3


async def brew(n: int) -> str:
    """Make one cup: heat the water, then let the tea steep."""
    time.sleep(HEAT_S)  # TODO: who has the thread meanwhile?
    time.sleep(STEEP_S)  # TODO: and here?
    return f"cup {n}"


async def main() -> list[str]:
    """Make all cups; return them in the order of their numbers."""
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(brew(n)) for n in range(1, CUPS + 1)]
    return [task.result() for task in tasks]


if __name__ == "__main__":
    print(asyncio.run(main()))
