"""The connection is back in the pool before the first row is fetched on it.

Breaks: Each borrows a connection, fetches rows,
Fault: between borrowing a connection and giving it back
"""


async def rows(question: int) -> AsyncGenerator[str]:
    connection = await pool.get()
    await give_back(connection)
    for n in range(1, ROWS + 1):
        yield await fetch(connection, question, n)
