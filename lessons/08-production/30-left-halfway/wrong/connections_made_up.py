"""A question that gets no connection takes one that the pool does not have.

Breaks: Each borrows a connection, fetches rows,
Fault: each on one of the 3 connections; 12 did
"""


async def rows(question: int) -> AsyncGenerator[str]:
    connection = pool.get_nowait() if not pool.empty() else CONNECTIONS + question
    try:
        for n in range(1, ROWS + 1):
            yield await fetch(connection, question, n)
    finally:
        await give_back(connection)
