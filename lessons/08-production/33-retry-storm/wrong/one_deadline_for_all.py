"""One deadline for all requests, counted from the start of the first one.

Breaks: If that hasn't happened DEADLINE_S seconds after its start, it ends then,
Fault: s after its start; it raised TimeoutError
"""

ends_s: list[float] = []


async def request(n: int) -> str:
    """Ask until there is an answer, another error, or no time left."""
    if not ends_s:
        ends_s.append(asyncio.get_running_loop().time() + DEADLINE_S)
    async with asyncio.timeout_at(ends_s[0]):
        while True:
            async with turns:
                await asyncio.sleep(1 / RATE)
            try:
                return await attempt(n)
            except ConnectionError:
                continue
