"""Gives up after half the time.

Breaks: not before,
Fault: s after its start; it raised TimeoutError
"""


async def request(n: int) -> str:
    """Ask until there is an answer, another error, or no time left."""
    async with asyncio.timeout(DEADLINE_S / 2):
        while True:
            async with turns:
                await asyncio.sleep(1 / RATE)
            try:
                return await attempt(n)
            except ConnectionError:
                continue
