"""Gives the connection back in its own task, and waits for that.

Breaks: by the task that has fetched rows on it.
Fault: gave it back. Each generator has to be closed by the code that takes values from it: has each
one?
"""


async def rows(question: int) -> AsyncGenerator[str]:
    connection = await pool.get()
    try:
        for n in range(1, ROWS + 1):
            yield await fetch(connection, question, n)
    finally:
        await asyncio.create_task(give_back(connection))
