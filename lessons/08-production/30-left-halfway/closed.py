"""Four searches share two connections, and leave their rows early: when does a connection come back?

Predict the moment before you run it:  python closed.py
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

SEARCHES = 4
CONNECTIONS = 2
ROW_S = 0.1
BACK_S = 0.2
MAIL_S = 0.8
pool = asyncio.Semaphore(CONNECTIONS)
given_back: list[int] = []


async def give_back(day: int) -> None:
    """End the query for that day, and give its connection back to the pool."""
    await asyncio.sleep(BACK_S)
    given_back.append(day)
    pool.release()


async def rows(day: int) -> AsyncGenerator[int]:
    """Yield what the database sends: the amounts of a day, one after the other."""
    for amount in (20, 50, 90, 30, 70):
        await asyncio.sleep(ROW_S)
        yield amount


async def amounts(day: int) -> AsyncGenerator[int]:
    """Borrow a connection, ask for the amounts of a day, and give the connection back."""
    await pool.acquire()
    try:
        async for amount in rows(day):
            yield amount
    finally:
        await give_back(day)


async def search(day: int) -> None:
    """Look for a large amount on that day."""
    async with aclosing(amounts(day)) as found:
        async for amount in found:
            if amount > 80:
                break
    await asyncio.sleep(MAIL_S)  # sends a mail about it, for which it needs no connection


async def main() -> None:
    async with asyncio.TaskGroup() as group:
        for day in range(1, SEARCHES + 1):
            group.create_task(search(day))
    print(f"{SEARCHES} searches, {len(given_back)} connections given back")


if __name__ == "__main__":
    asyncio.run(main())
