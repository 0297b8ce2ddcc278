"""Orders hang, and nobody knows where. Write stuck, which finds out: for each task that isn't done, but for
the one that calls stuck, it returns a tuple of the task's name, the function that waits, and the number of
the line. Each task is named once. If functions wait for each other, the innermost one of this file counts.

The watchdog asks again and again, and in between the orders go on. stuck only looks: all orders are handled
in the end. Leave the rest of the file as it is.

Run it alone with:  python 31-where-is-it-stuck.py
"""

import asyncio
import random

ORDERS = 4
SEED = 0
PATIENCE_S = 1.0
STEPS = ["address", "stock", "shelf", "card", "money", "receipt", "box", "label", "van"]
Steps = dict[str, asyncio.Event]


def stuck() -> list[tuple[str, str, int]]:
    """Return the name, the function and the line of each task that waits."""
    # TODO: which tasks are there, and at which line of this file does each of them wait?
    return []


async def handle(n: int, steps: Steps) -> None:
    """Handle order n. Leave this function as it is."""
    parcel = asyncio.create_task(pack(steps), name=f"parcel {n}")
    await steps["address"].wait()
    await reserve(steps)
    await charge(steps)
    await parcel


async def reserve(steps: Steps) -> None:
    """Put the goods aside. Leave this function as it is."""
    await steps["stock"].wait()
    await steps["shelf"].wait()


async def charge(steps: Steps) -> None:
    """Get the money. Leave this function as it is."""
    await ask_the_bank(steps)
    await steps["receipt"].wait()


async def ask_the_bank(steps: Steps) -> None:
    """Is there any? Leave this function as it is."""
    await steps["card"].wait()
    await steps["money"].wait()


async def pack(steps: Steps) -> None:
    """Make a parcel. Leave this function as it is."""
    await steps["box"].wait()
    await address(steps)
    await steps["van"].wait()


async def address(steps: Steps) -> None:
    """Say where it goes. Leave this function as it is."""
    await steps["label"].wait()


async def watchdog(orders: list[Steps], chance: random.Random) -> None:
    """Print where all wait, and let each order take one more step, until all are done. Leave it as it is."""
    while any(not step.is_set() for steps in orders for step in steps.values()):
        await asyncio.sleep(PATIENCE_S)
        print(*stuck(), sep="\n")
        for steps in orders:
            missing = [step for step in steps.values() if not step.is_set()]
            if missing:
                chance.choice(missing).set()


async def main() -> None:
    """Handle some orders. Each of them misses some steps, at first. Leave this function as it is."""
    chance = random.Random(SEED)
    orders: list[Steps] = [{step: asyncio.Event() for step in STEPS} for _ in range(ORDERS)]
    for steps in orders:
        for step in chance.sample(STEPS, chance.randint(5, len(STEPS) - 1)):
            steps[step].set()
    async with asyncio.TaskGroup() as group:
        group.create_task(watchdog(orders, chance), name="watchdog")
        for n, steps in enumerate(orders, 1):
            group.create_task(handle(n, steps), name=f"order {n}")


if __name__ == "__main__":
    asyncio.run(main())
