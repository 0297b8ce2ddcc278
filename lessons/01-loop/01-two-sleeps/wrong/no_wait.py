"""The waits are gone, and so are the cups: water that was never heated.

Breaks: Each cup still takes its time:
Fault: brew(1) should take at least 400 ms; it took
"""


async def brew(n: int) -> str:
    """Make one cup: heat the water, then let the tea steep."""
    await asyncio.sleep(0)
    return f"cup {n}"
