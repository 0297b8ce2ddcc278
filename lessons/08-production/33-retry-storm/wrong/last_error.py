"""At the deadline, the request ends with the last refusal.

Breaks: with a TimeoutError,
Fault: it raised ConnectionRefusedError
"""


async def request(n: int) -> str:
    """Ask until there is an answer, another error, or no time left."""
    error: Exception = TimeoutError()
    try:
        async with asyncio.timeout(DEADLINE_S):
            while True:
                async with turns:
                    await asyncio.sleep(1 / RATE)
                try:
                    return await attempt(n)
                except ConnectionError as refused:
                    error = refused
    except TimeoutError:
        raise error from None
