"""The value of the deadline instead of its name.

Breaks: If that hasn't happened DEADLINE_S seconds after its start, it ends then,
Fault: 8 s after its start; it raised TimeoutError, 6.00 s after it
"""


async def request(n: int) -> str:
    """Ask until there is an answer, another error, or no time left."""
    async with asyncio.timeout(6.0):
        while True:
            async with turns:
                await asyncio.sleep(1 / RATE)
            try:
                return await attempt(n)
            except ConnectionError:
                continue
