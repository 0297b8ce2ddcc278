"""Four orders are tallied on one slip, and then as many cups are made: how many cups?

Predict the number of cups before you run it:  python unlocked.py
"""

import asyncio

ORDERS = 4
LISTEN_S = 0.1
WAIT_S = 0.25
WAIT_AT = 2

slip = {"cups": 0}


async def tally(n: int) -> None:
    """Add one to the number on the slip, and wait at one of three places."""
    if WAIT_AT == 1:
        await asyncio.sleep(WAIT_S)
    seen = slip["cups"]
    if WAIT_AT == 2:
        await asyncio.sleep(WAIT_S)
    slip["cups"] = seen + 1
    if WAIT_AT == 3:
        await asyncio.sleep(WAIT_S)


async def order(n: int) -> None:
    """Listen to a guest, LISTEN_S longer than to the one before, and then tally the order."""
    await asyncio.sleep(n * LISTEN_S)
    await tally(n)


async def cup(n: int) -> None:
    """Make one cup."""
    await asyncio.sleep(WAIT_S)


async def main() -> None:
    async with asyncio.TaskGroup() as group:
        for n in range(1, ORDERS + 1):
            group.create_task(order(n))
    async with asyncio.TaskGroup() as group:
        for n in range(1, slip["cups"] + 1):
            group.create_task(cup(n))
    print(f"{ORDERS} orders, {slip['cups']} cups")


if __name__ == "__main__":
    asyncio.run(main())
