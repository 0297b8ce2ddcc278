"""Three attempts, and no more, however much time is left.

Breaks: A request that is refused, with a ConnectionError, asks again.
Fault: it raised ConnectionRefusedError
"""


async def request(n: int) -> str:
    """Ask until there is an answer, another error, or no time left."""
    async with asyncio.timeout(DEADLINE_S):
        for tries_left in (2, 1, 0):
            async with turns:
                await asyncio.sleep(1 / RATE)
            try:
                return await attempt(n)
            except ConnectionError:
                if not tries_left:
                    raise
    raise AssertionError("never reached")
