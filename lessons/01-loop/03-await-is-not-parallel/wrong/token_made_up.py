"""Wrong: it signs in, but then uses a token that it has made up."""

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
    await sign_in()
    token = "token"
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(load(part, token)) for part in range(1, PARTS + 1)]
    return [task.result() for task in tasks]


if __name__ == "__main__":
    print(*asyncio.run(main()), sep="\n")
