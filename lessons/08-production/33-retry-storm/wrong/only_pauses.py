"""Each request pauses longer and longer, with full jitter. But all of them begin with an attempt.

Breaks: Fix request: in any one second at most RATE attempts begin, of all requests together.
Fault: In any one second, at most
"""


async def request(n: int) -> str:
    """Ask until there is an answer, another error, or no time left."""
    pause_s = 0.5
    async with asyncio.timeout(DEADLINE_S):
        while True:
            try:
                return await attempt(n)
            except ConnectionError:
                await asyncio.sleep(random.uniform(0, pause_s))
                pause_s *= 2
