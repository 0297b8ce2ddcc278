"""A row that is damaged is left out, and the question goes on behind it.

Breaks: or at a damaged row.
Fault: Question 5 should fetch its rows in order, and stop at row 1
"""


async def amounts(question: int) -> AsyncGenerator[int]:
    async with aclosing(rows(question)) as answer:
        async for row in answer:
            if row != "damaged":
                yield int(row)
