"""Names the outermost function, the only one that get_stack shows.

Run it alone with:  python outermost.py
"""

import asyncio
import random

ORDERS = 4
SEED = 29
STEPS = ["stock", "card", "money", "receipt", "box", "label"]
Steps = dict[str, asyncio.Event]
chance = random.Random(SEED)


def stuck() -> list[tuple[str, str, int]]:
    places = []
    for task in asyncio.all_tasks() - {asyncio.current_task()}:
        frame = task.get_stack()[-1]
        places.append((task.get_name(), frame.f_code.co_name, frame.f_lineno))
    return places


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
