"""Five orders are saved and the customer gets a reply: what runs, and when does each call of save begin?

Predict the number of calls of save that run:  python awaited.py
"""

import asyncio

ORDERS = 5
SAVE_S = 0.2
REPLY_S = 0.3

database: set[int] = set()


async def save(order: int) -> None:
    """Write one order to the database, which takes a while."""
    await asyncio.sleep(SAVE_S)
    database.add(order)


async def reply() -> None:
    """Tell the customer that the orders have come in."""
    await asyncio.sleep(REPLY_S)


async def main() -> None:
    for order in range(1, ORDERS + 1):
        await save(order)
    await reply()
    print(f"{len(database)} of {ORDERS} orders are in the database")


if __name__ == "__main__":
    asyncio.run(main())
