"""The functions write down themselves where they wait.

Run it alone with:  python told_by_the_orders.py
"""

import asyncio
import random
import sys

ORDERS = 4
SEED = 29
STEPS = ["stock", "card", "money", "receipt", "box", "label"]
Steps = dict[str, asyncio.Event]
chance = random.Random(SEED)


at: dict[str, tuple[str, int]] = {}


async def wait(step: asyncio.Event) -> None:
    task, caller = asyncio.current_task(), sys._getframe(1)
    assert task is not None
    at[task.get_name()] = (caller.f_code.co_name, caller.f_lineno)
    await step.wait()
    del at[task.get_name()]


def stuck() -> list[tuple[str, str, int]]:
    return [(name, *place) for name, place in at.items()]


async def handle(n: int, steps: Steps) -> None:
    parcel = asyncio.create_task(pack(steps), name=f"parcel {n}")
    await wait(steps["stock"])
    await charge(steps)
    await parcel


async def charge(steps: Steps) -> None:
    await ask_the_bank(steps)
    await wait(steps["receipt"])


async def ask_the_bank(steps: Steps) -> None:
    await wait(steps["card"])
    await wait(steps["money"])


async def pack(steps: Steps) -> None:
    await wait(steps["box"])
    await wait(steps["label"])


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
