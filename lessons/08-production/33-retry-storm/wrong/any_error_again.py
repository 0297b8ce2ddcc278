"""Asks again after any error, even after one that will be the same each time.

Breaks: It ends as soon as an attempt returns an answer or raises another error,
Breaks: and with the same.
Fault: raised LookupError, so it should end with that
"""


async def request(n: int) -> str:
    """Ask until there is an answer, another error, or no time left."""
    async with asyncio.timeout(DEADLINE_S):
        while True:
            async with turns:
                await asyncio.sleep(1 / RATE)
            try:
                return await attempt(n)
            except (ConnectionError, LookupError):
                continue
