"""A page signs in and loads its parts one after another: make the parts load at the same time.

No part needs another one. Each needs the token that sign_in returns; sign in once. main returns the parts in
their order on the page, whichever is loaded first.

Run it alone with:  python exercise.py
"""

import asyncio

PARTS = 5
STEP_S = 0.1
SIGN_IN_S = 0.2


async def sign_in() -> str:
    """Get the token that every part needs. Leave this function as it is."""
    await asyncio.sleep(SIGN_IN_S)
    return f"token-{PARTS}"


async def load(part: int, token: str) -> str:
    """Load one part; the last one is the quickest. Leave this function as it is."""
    await asyncio.sleep((PARTS - part + 1) * STEP_S)
    return f"part {part} with {token}"


async def main() -> list[str]:
    """Load the page; return its parts in order."""
    token = await sign_in()
    page: list[str] = []
    for part in range(1, PARTS + 1):
        loaded = await load(part, token)  # TODO: start all of them before you wait for one
        page.append(loaded)
    return page


if __name__ == "__main__":
    print(*asyncio.run(main()), sep="\n")
