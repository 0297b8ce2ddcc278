"""All parts are loaded, thrown away, and made up.

Breaks: main returns what load returned,
Fault: main should return what load returned
"""


async def main() -> list[str]:
    """Load the page; return its parts in order."""
    token = await sign_in()
    await asyncio.gather(*(load(part, token) for part in range(1, PARTS + 1)))
    return [f"part {part} with {token}: 50 kB" for part in range(1, PARTS + 1)]
