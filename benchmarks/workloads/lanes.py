"""Thousands of tasks that sleep and sleep again: for a picture with as many lanes.

python lanes.py REPORT TASKS SLEEPS SECONDS    (SECONDS: of all the sleeps of a task, on average)
"""

import asyncio
import json
import random
import sys
import time


async def sleeper(durations_s: list[float]) -> None:
    for duration_s in durations_s:
        await asyncio.sleep(duration_s)


async def main(tasks: int, sleeps: int, seconds: float) -> None:
    draw = random.Random(0)
    mean_s = seconds / sleeps
    async with asyncio.TaskGroup() as group:
        for _ in range(tasks):
            group.create_task(sleeper([draw.uniform(0.5, 1.5) * mean_s for _ in range(sleeps)]))


if __name__ == "__main__":
    report, tasks, sleeps, seconds = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])
    thread_s, process_s, start_s = time.thread_time(), time.process_time(), time.monotonic()
    asyncio.run(main(tasks, sleeps, seconds))
    end_s = time.monotonic()
    used = {
        "thread_s": time.thread_time() - thread_s,
        "process_s": time.process_time() - process_s,
        "wall_s": end_s - start_s,
        "start_s": start_s,
        "end_s": end_s,
    }
    with open(report, "w", encoding="utf-8") as file:
        json.dump(used, file)
