"""Holds its place for a second, and its answer too.

Breaks: It ends as soon as an attempt returns an answer or raises another error,
Fault: should end with that
"""

turns = asyncio.Semaphore(RATE)


async def request(n: int) -> str:
    """Ask until there is an answer, another error, or no time left."""
    async with asyncio.timeout(DEADLINE_S):
        while True:
            async with turns:
                try:
                    return await attempt(n)
                except ConnectionError:
                    continue
                finally:
                    await asyncio.sleep(1)
