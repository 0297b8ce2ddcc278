"""It signs in, but then uses a token that it has made up.

Breaks: with that token.
Fault: with the token that sign_in returned
"""


async def main() -> list[str]:
    """Load the page; return its parts in order."""
    await sign_in()
    token = "token"
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(load(part, token)) for part in range(1, PARTS + 1)]
    return [task.result() for task in tasks]
