"""There is nothing to clean up any more, so the connections are soon used up.

Breaks: Fix it: when first returns, its connection is back.
Fault: No task can ever continue
"""


async def rows(question: int) -> AsyncGenerator[str]:
    connection = await pool.get()
    for n in range(1, ROWS + 1):
        yield await fetch(connection, question, n)
