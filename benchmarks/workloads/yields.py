"""Tasks that do nothing but let each other run: all that is left is the cost of a step.

python yields.py REPORT TASKS SLEEPS
"""

import asyncio
import json
import sys
import time


async def worker(sleeps: int) -> None:
    for _ in range(sleeps):
        await asyncio.sleep(0)


async def main(tasks: int, sleeps: int) -> None:
    await asyncio.gather(*(worker(sleeps) for _ in range(tasks)))


if __name__ == "__main__":
    report, tasks, sleeps = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    thread_s, process_s, wall_s = time.thread_time(), time.process_time(), time.perf_counter()
    asyncio.run(main(tasks, sleeps))
    used = {
        "thread_s": time.thread_time() - thread_s,
        "process_s": time.process_time() - process_s,
        "wall_s": time.perf_counter() - wall_s,
    }
    with open(report, "w", encoding="utf-8") as file:
        json.dump(used, file)
