"""Right: each wait keeps a thread, but none of them is the event loop's."""

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor

CUPS = 6
HEAT_S = 0.1
STEEP_S = 0.3

threads = ThreadPoolExecutor(CUPS)


async def brew(n: int) -> str:
    """Make one cup: heat the water, then let the tea steep."""
    loop = asyncio.get_running_loop()
    await loop.run_in_executor(threads, time.sleep, HEAT_S)
    await loop.run_in_executor(threads, time.sleep, STEEP_S)
    return f"cup {n}"


async def main() -> list[str]:
    """Make all cups; return them in the order of their numbers."""
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(brew(n)) for n in range(1, CUPS + 1)]
    return [task.result() for task in tasks]


if __name__ == "__main__":
    print(asyncio.run(main()))
