"""Orders hang, and nobody knows where. Write stuck, which finds out: for each task that isn't done, except
the one that calls stuck, it returns a tuple of the task's name, the function that waits, and the number of
the line. Each task is named once. If one function awaits another, the innermost one of this file counts.

The watchdog asks again and again, and in between the orders go on. stuck only looks: all orders are handled
in the end. Leave the rest of the file as it is.

Run it alone with:  python 31-where-is-it-stuck.py
"""

import asyncio
import random

ORDERS = 4
SEED = 29
STEPS = ["stock", "card", "money", "receipt", "box", "label"]
Steps = dict[str, asyncio.Event]
chance = random.Random(SEED)


def stuck() -> list[tuple[str, str, int]]:
    # TODO: which tasks are there, and at which line of this file does each of them wait?
    return []


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
