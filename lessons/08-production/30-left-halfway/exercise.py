"""A database is asked several questions. Each borrows a connection, fetches rows, and stops at the first
amount of at least LEAST, or at a damaged row. But the connection comes back too late, and from another task.

Fix it: when first returns, its connection is back. It's given back once, by the task that has fetched rows
on it. A question still fetches no row after the one at which it stops, and CONNECTIONS questions fetch their
rows at the same time. main returns what they have found.

Run it alone with:  python 30-left-halfway.py
"""

import asyncio
import random
from collections.abc import AsyncGenerator

QUESTIONS = 12
CONNECTIONS = 3
ROWS = 6
LEAST = 15
ROW_S = 0.1
BACK_S = 0.3
SEED = 94
pool: asyncio.Queue[int] = asyncio.Queue()


async def fetch(connection: int, question: int, n: int) -> str:
    """Fetch row n of the answer. Leave this function as it is."""
    await asyncio.sleep(ROW_S)
    return random.Random(SEED + 1000 * question + n).choice(["damaged", *map(str, range(1, 20))])


async def give_back(connection: int) -> None:
    """End the query, and put its connection into the pool. Leave this function as it is."""
    await asyncio.sleep(BACK_S)
    pool.put_nowait(connection)


async def rows(question: int) -> AsyncGenerator[str]:
    connection = await pool.get()
    try:
        for n in range(1, ROWS + 1):
            yield await fetch(connection, question, n)
    finally:
        await give_back(connection)


async def amounts(question: int) -> AsyncGenerator[int]:
    async for row in rows(question):  # TODO: who closes the generator of the rows?
        yield int(row)


async def first(question: int) -> int | str | None:
    """Find the first amount of at least LEAST; None if there is none, "damaged" if a row is damaged first."""
    try:
        async for amount in amounts(question):  # TODO: and who closes the one of the amounts?
            if amount >= LEAST:
                return amount
    except ValueError:
        return "damaged"
    return None


async def main() -> list[int | str | None]:
    """Fill the pool, and ask all questions. Leave this function as it is."""
    for connection in range(1, CONNECTIONS + 1):
        pool.put_nowait(connection)
    return await asyncio.gather(*map(first, range(1, QUESTIONS + 1)))


if __name__ == "__main__":
    print(asyncio.run(main()))
