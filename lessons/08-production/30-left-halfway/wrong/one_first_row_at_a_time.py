"""A lock lets only one question at a time fetch its first row.

Breaks: and CONNECTIONS questions fetch their rows at the same time.
Fault: connections; 1 did when the program began
"""

from contextlib import nullcontext

asking = asyncio.Lock()


async def rows(question: int) -> AsyncGenerator[str]:
    connection = await pool.get()
    try:
        for n in range(1, ROWS + 1):
            async with asking if n == 1 else nullcontext():  # the query begins with its first row
                row = await fetch(connection, question, n)
            yield row
    finally:
        await give_back(connection)


async def amounts(question: int) -> AsyncGenerator[int]:
    async with aclosing(rows(question)) as source:
        async for row in source:
            yield int(row)
