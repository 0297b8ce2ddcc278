"""One attempt. If it is refused, the request waits for its deadline.

Breaks: A request that is refused, with a ConnectionError, asks again.
Fault: and ask again when it's refused
"""


async def request(n: int) -> str:
    """Ask until there is an answer, another error, or no time left."""
    async with asyncio.timeout(DEADLINE_S):
        async with turns:
            await asyncio.sleep(1 / RATE)
        try:
            return await attempt(n)
        except ConnectionError:
            await asyncio.sleep(DEADLINE_S)
            raise
