"""The cups are begun, but main ends without waiting for them.

Breaks: main returns what brew returned
Fault: nobody waited for them
"""


async def main() -> list[str]:
    """Make all cups; return them in the order of their numbers."""
    tasks = [asyncio.create_task(brew(n)) for n in range(1, CUPS + 1)]
    await asyncio.sleep(HEAT_S)
    return [f"cup {n}" for n, _ in enumerate(tasks, start=1)]
