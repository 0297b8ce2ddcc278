"""Wrong: main leaves out the questions that have found nothing."""

import asyncio
import random
from collections.abc import AsyncGenerator
from contextlib import aclosing

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
    async with aclosing(rows(question)) as answer:
        async for row in answer:
            yield int(row)


async def first(question: int) -> int | str | None:
    """Find the first amount of at least LEAST; None if there is none, "damaged" if a row is damaged first."""
    try:
        async with aclosing(amounts(question)) as found:
            async for amount in found:
                if amount >= LEAST:
                    return amount
    except ValueError:
        return "damaged"
    return None


async def main() -> list[int | str | None]:
    """Fill the pool, and ask all questions. Leave this function as it is."""
    for connection in range(1, CONNECTIONS + 1):
        pool.put_nowait(connection)
    found = await asyncio.gather(*map(first, range(1, QUESTIONS + 1)))
    return [one for one in found if one is not None]


if __name__ == "__main__":
    print(asyncio.run(main()))
