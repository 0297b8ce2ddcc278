"""send has been made quicker, which was not asked for.

Breaks: Leave this function as it is.
Fault: Leave send as it is
"""


async def send(n: int) -> str:
    """Send one image. Nobody knows in advance how long it will take. Leave this function as it is."""
    takes_ms, receipt = network.randint(FASTEST_MS, SLOWEST_MS), network.randrange(1_000_000)
    await asyncio.sleep(takes_ms / 100_000)
    return f"image-{n}-{receipt:06}.png"
