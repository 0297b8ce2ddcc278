"""The parts are fetched by a call that blocks the event loop.

Breaks: which is never blocked.
Breaks: Leave this function as it is.
Fault: held it for
"""


async def fetch(part: int) -> str:
    """Fetch one part of the page from another service. Leave this function as it is."""
    code = chance.randrange(1_000_000)
    time.sleep((PART_MS - 40 * part) / 1000)
    return f"part {part} {code:06}"
