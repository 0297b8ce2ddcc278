"""Six orders are counted on one slip, then as many cups are made: how many cups?

Predict the number of cups before you run it:  python locked.py
"""

import asyncio

ORDERS = 6
WAIT_AT = 2
WAIT_S = 0.1
LISTEN_S = 0.2

slip = {"cups": 0}


async def count(n: int) -> None:
    """Read the number on the slip, add one, write it back; and wait at one of three places."""
    if WAIT_AT == 1:
        await asyncio.sleep(WAIT_S)
    seen = slip["cups"]
    if WAIT_AT == 2:
        await asyncio.sleep(WAIT_S)
    slip["cups"] = seen + 1
    if WAIT_AT == 3:
        await asyncio.sleep(WAIT_S)


async def order(n: int, slip_is_free: asyncio.Lock) -> None:
    """Listen to the guest, then count the order."""
    await asyncio.sleep(LISTEN_S)
    async with slip_is_free:
        await count(n)


async def cup(n: int) -> None:
    """Make one cup."""
    await asyncio.sleep(WAIT_S)


async def main() -> None:
    slip_is_free = asyncio.Lock()
    async with asyncio.TaskGroup() as group:
        for n in range(1, ORDERS + 1):
            group.create_task(order(n, slip_is_free))
    async with asyncio.TaskGroup() as group:
        for n in range(1, slip["cups"] + 1):
            group.create_task(cup(n))
    print(f"{ORDERS} orders, {slip['cups']} cups")


if __name__ == "__main__":
    asyncio.run(main())
