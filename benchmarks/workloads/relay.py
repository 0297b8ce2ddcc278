"""Pairs of tasks that wake each other in turn: every step is woken by another task.

python relay.py REPORT PAIRS ROUNDS
"""

import asyncio
import json
import resource
import sys


async def player(mine: asyncio.Event, other: asyncio.Event, rounds: int) -> None:
    for _ in range(rounds):
        await mine.wait()
        mine.clear()
        other.set()


async def main(pairs: int, rounds: int) -> None:
    async with asyncio.TaskGroup() as group:
        for _ in range(pairs):
            here, there = asyncio.Event(), asyncio.Event()
            group.create_task(player(here, there, rounds))
            group.create_task(player(there, here, rounds))
            here.set()


if __name__ == "__main__":
    report, pairs, rounds = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    asyncio.run(main(pairs, rounds))
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with open(report, "w", encoding="utf-8") as file:
        # Linux counts in KiB, macOS in bytes
        json.dump({"most_bytes": most * (1 if sys.platform == "darwin" else 1024)}, file)
