"""Only one attempt at a time. But attempts are short, so too many begin in a second.

Breaks: Fix request: in any one second at most RATE attempts begin, of all requests together.
Fault: A semaphore limits how many go on at the same time
"""

turns = asyncio.Semaphore(1)


async def request(n: int) -> str:
    """Ask until there is an answer, another error, or no time left."""
    async with asyncio.timeout(DEADLINE_S):
        while True:
            try:
                async with turns:
                    return await attempt(n)
            except ConnectionError:
                continue
