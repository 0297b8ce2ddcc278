"""At the deadline the request ends, and its attempt goes on in a task that nobody waits for.

Breaks: When it's over, nothing that it started goes on.
Fault: was not: nobody waited for it
"""


async def request(n: int) -> str:
    """Ask until there is an answer, another error, or no time left."""
    async with asyncio.timeout(DEADLINE_S):
        while True:
            async with turns:
                await asyncio.sleep(1 / RATE)
            try:
                return await asyncio.shield(asyncio.create_task(attempt(n)))
            except ConnectionError:
                continue
