"""Each request keeps to the rate. All of them together do not.

Breaks: Fix request: in any one second at most RATE attempts begin, of all requests together.
Fault: In any one second, at most
"""


async def request(n: int) -> str:
    """Ask until there is an answer, another error, or no time left."""
    async with asyncio.timeout(DEADLINE_S):
        while True:
            await asyncio.sleep(1 / RATE)
            try:
                return await attempt(n)
            except ConnectionError:
                continue
