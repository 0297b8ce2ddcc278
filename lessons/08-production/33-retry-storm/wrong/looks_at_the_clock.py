"""The deadline is looked at between attempts. One that is never answered goes on and on.

Breaks: If that hasn't happened DEADLINE_S seconds after its start, it ends then,
Breaks: whatever it is waiting for.
Fault: should end with a TimeoutError
"""


async def request(n: int) -> str:
    """Ask until there is an answer, another error, or no time left."""
    end_s = asyncio.get_running_loop().time() + DEADLINE_S
    while asyncio.get_running_loop().time() < end_s:
        async with turns:
            await asyncio.sleep(1 / RATE)
        try:
            return await attempt(n)
        except ConnectionError:
            continue
    raise TimeoutError
