"""Each attempt gets the time that is left. But waiting for a turn is not part of it.

Breaks: whatever it is waiting for.
Fault: s after its start; it raised TimeoutError
"""


async def request(n: int) -> str:
    """Ask until there is an answer, another error, or no time left."""
    loop = asyncio.get_running_loop()
    end_s = loop.time() + DEADLINE_S
    while True:
        async with turns:
            await asyncio.sleep(1 / RATE)
        try:
            return await asyncio.wait_for(attempt(n), end_s - loop.time())
        except ConnectionError:
            continue
