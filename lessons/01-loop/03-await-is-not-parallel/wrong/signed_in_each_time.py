"""The parts overlap, but each of them signs in for itself.

Breaks: It signs in, once,
Fault: There should be 1 call of sign_in; there were 5
"""


async def main() -> list[str]:
    """Load the page; return its parts in order."""

    async def signed_in(part: int) -> str:
        return await load(part, await sign_in())

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(signed_in(part)) for part in range(1, PARTS + 1)]
    return [task.result() for task in tasks]
