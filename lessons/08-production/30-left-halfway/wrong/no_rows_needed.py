"""Knows what fetch would say, and fetches only one row.

Breaks: Each borrows a connection, fetches rows,
Fault: and stop at row 3; it fetched rows 1.
"""


async def rows(question: int) -> AsyncGenerator[str]:
    connection = await pool.get()
    try:
        yield await fetch(connection, question, 1)
        for n in range(2, ROWS + 1):
            draws = random.Random(SEED + 1000 * question + n)
            yield draws.choice(["damaged", *map(str, range(1, 20))])
    finally:
        await give_back(connection)
