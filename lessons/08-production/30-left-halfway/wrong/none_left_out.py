"""main leaves out the questions that have found nothing.

Breaks: main returns what they have found.
Fault: main() should return
"""


async def main() -> list[int | str | None]:
    """Fill the pool, and ask all questions. Leave this function as it is."""
    for connection in range(1, CONNECTIONS + 1):
        pool.put_nowait(connection)
    found = await asyncio.gather(*map(first, range(1, QUESTIONS + 1)))
    return [one for one in found if one is not None]
