"""The rate is kept. But each attempt has the whole time for itself, and waiting for a turn costs none.

Breaks: If that hasn't happened DEADLINE_S seconds after its start, it ends then,
Fault: s after its start; it raised TimeoutError
"""


async def request(n: int) -> str:
    """Ask until there is an answer, another error, or no time left."""
    while True:
        async with turns:
            await asyncio.sleep(1 / RATE)
        try:
            async with asyncio.timeout(DEADLINE_S):
                return await attempt(n)
        except ConnectionError:
            continue
