"""Puts the connection into the pool by itself, and does not end its query.

Breaks: It's given back once,
Fault: and given back 0 times
"""


async def rows(question: int) -> AsyncGenerator[str]:
    connection = await pool.get()
    try:
        for n in range(1, ROWS + 1):
            yield await fetch(connection, question, n)
    finally:
        pool.put_nowait(connection)
