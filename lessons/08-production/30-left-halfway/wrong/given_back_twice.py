"""After the last row, the connection is given back, and in the finally once more.

Breaks: It's given back once,
Fault: was used for 4 questions, and given back 5 times
"""


async def rows(question: int) -> AsyncGenerator[str]:
    connection = await pool.get()
    try:
        for n in range(1, ROWS + 1):
            yield await fetch(connection, question, n)
        await give_back(connection)
    finally:
        await give_back(connection)
