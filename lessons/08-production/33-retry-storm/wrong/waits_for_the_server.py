"""Waits until the server is up. Nobody tells a client when that is.

Breaks: In each second in which RATE or more requests wait for an attempt, at least 0.8 * RATE
begin;
Fault: should begin in that second
"""


async def request(n: int) -> str:
    """Ask until there is an answer, another error, or no time left."""
    async with asyncio.timeout(DEADLINE_S):
        while True:
            await up.wait()
            async with turns:
                await asyncio.sleep(1 / RATE)
            try:
                return await attempt(n)
            except ConnectionError:
                continue
