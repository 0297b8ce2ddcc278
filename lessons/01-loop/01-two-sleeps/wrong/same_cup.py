"""The same cup, again and again.

Breaks: Every cup is made, and only once.
Fault: cup 2 was not
"""


async def main() -> list[str]:
    """Make all cups; return them in the order of their numbers."""
    async with asyncio.TaskGroup() as group:
        for _n in range(1, CUPS + 1):
            group.create_task(brew(1))
    return [f"cup {n}" for n in range(1, CUPS + 1)]
