"""Leaves both generators, and sleeps until another task has closed them.

Breaks: by the task that has fetched rows on it.
Fault: gave it back. Each generator has to be closed by the code that takes values from it: has each
one?
"""


async def amounts(question: int) -> AsyncGenerator[int]:
    async for row in rows(question):
        yield int(row)


async def first(question: int) -> int | str | None:
    """Find the first amount of at least LEAST; None if there is none, "damaged" if a row is damaged first."""
    try:
        async for amount in amounts(question):
            if amount >= LEAST:
                return amount
        return None
    except ValueError:
        return "damaged"
    finally:
        await asyncio.sleep(2 * BACK_S)
