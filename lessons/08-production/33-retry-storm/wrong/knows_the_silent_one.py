"""Does not even ask for what is never answered. A program cannot know that.

Breaks: Ask until there is an answer, another error, or no time left.
Fault: gave up after no attempts
"""


async def request(n: int) -> str:
    """Ask until there is an answer, another error, or no time left."""
    async with asyncio.timeout(DEADLINE_S):
        while True:
            if n == SILENT:
                await asyncio.sleep(DEADLINE_S)
            async with turns:
                await asyncio.sleep(1 / RATE)
            try:
                return await attempt(n)
            except ConnectionError:
                continue
