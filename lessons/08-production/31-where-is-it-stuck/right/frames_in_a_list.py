"""All frames of a task, from the outside to the inside, and then the last one of this file.

Run it alone with:  python frames_in_a_list.py
"""

import asyncio
import random
from collections.abc import Iterator
from types import FrameType
from typing import Any

ORDERS = 4
SEED = 29
STEPS = ["stock", "card", "money", "receipt", "box", "label"]
Steps = dict[str, asyncio.Event]
chance = random.Random(SEED)


def frames(awaited: Any) -> Iterator[FrameType]:
    while hasattr(awaited, "cr_await"):
        yield awaited.cr_frame
        awaited = awaited.cr_await


def place(task: asyncio.Task[Any]) -> tuple[str, int]:
    *_, last = (frame for frame in frames(task.get_coro()) if frame.f_code.co_filename == __file__)
    return last.f_code.co_name, last.f_lineno


def stuck() -> list[tuple[str, str, int]]:
    waiting = asyncio.all_tasks() - {asyncio.current_task()}
    return [(task.get_name(), *place(task)) for task in waiting]


async def handle(n: int, steps: Steps) -> None:
    parcel = asyncio.create_task(pack(steps), name=f"parcel {n}")
    await steps["stock"].wait()
    await charge(steps)
    await parcel


async def charge(steps: Steps) -> None:
    await ask_the_bank(steps)
    await steps["receipt"].wait()


async def ask_the_bank(steps: Steps) -> None:
    await steps["card"].wait()
    await steps["money"].wait()


async def pack(steps: Steps) -> None:
    await steps["box"].wait()
    await steps["label"].wait()


async def watchdog(orders: list[Steps]) -> None:
    while any(missing := [[one for one in steps.values() if not one.is_set()] for steps in orders]):
        await asyncio.sleep(1)
        print(*stuck(), sep="\n")
        for steps in filter(None, missing):
            chance.choice(steps).set()


async def main() -> None:
    async with asyncio.TaskGroup() as group:
        orders: list[Steps] = [{step: asyncio.Event() for step in STEPS} for _ in range(ORDERS)]
        for n, steps in enumerate(orders, 1):
            group.create_task(handle(n, steps), name=f"order {n}")
            for step in chance.sample(STEPS, chance.randint(2, 5)):
                steps[step].set()
        group.create_task(watchdog(orders), name="watchdog")


if __name__ == "__main__":
    asyncio.run(main())
