"""Whoever takes rows from a generator closes it, on each of the two levels.

Run it alone with:  python solution.py
"""

import asyncio
import random
from collections.abc import AsyncGenerator
from contextlib import aclosing

CLIENTS = 3
CONNECTIONS = 3
QUESTIONS = 4
ROWS = 6
LEAST = 75
ROW_S = 0.1
BACK_S = 0.3
SEED = 3

pool: asyncio.Queue[int] = asyncio.Queue()


async def borrow() -> int:
    """Take a connection out of the pool, as soon as there is one. Leave this function as it is."""
    return await pool.get()


async def fetch(connection: int, question: int, n: int) -> str:
    """Fetch row n of the answer, on a borrowed connection. Leave this function as it is."""
    await asyncio.sleep(ROW_S)
    amount = random.Random(SEED + 1000 * question + n).randint(-5, 100)
    return str(amount) if amount > 0 else "damaged"


def read(row: str) -> int:
    """The amount that stands in a row. Leave this function as it is."""
    if row == "damaged":
        raise ValueError("a row is damaged")
    return int(row)


async def give_back(connection: int) -> None:
    """End the query, and put its connection back into the pool. Leave this function as it is."""
    await asyncio.sleep(BACK_S)
    pool.put_nowait(connection)


async def rows(question: int) -> AsyncGenerator[str]:
    """The rows of the answer, on a connection of their own."""
    connection = await borrow()
    try:
        for n in range(1, ROWS + 1):
            yield await fetch(connection, question, n)
    finally:
        await give_back(connection)


async def orders(question: int) -> AsyncGenerator[int]:
    """The amounts of the orders in these rows."""
    async with aclosing(rows(question)) as answer:
        async for row in answer:
            yield read(row)


async def first(question: int) -> int | None:
    """The first order of at least LEAST, None if there is none."""
    async with aclosing(orders(question)) as found:
        async for order in found:
            if order >= LEAST:
                return order
    return None


async def client(n: int) -> list[int | str | None]:
    """Ask all questions of client n, one after the other. Leave this function as it is."""
    found: list[int | str | None] = []
    for question in range((n - 1) * QUESTIONS + 1, n * QUESTIONS + 1):
        try:
            found.append(await first(question))
        except ValueError as error:
            found.append(str(error))
    return found


async def main() -> list[list[int | str | None]]:
    """Fill the pool; let all clients ask. Leave this function as it is."""
    for connection in range(1, CONNECTIONS + 1):
        pool.put_nowait(connection)
    return await asyncio.gather(*(client(n) for n in range(1, CLIENTS + 1)))


if __name__ == "__main__":
    print(asyncio.run(main()))
