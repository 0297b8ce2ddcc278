"""Right: timers of the event loop, and futures that they complete."""

import asyncio

CUPS = 6
HEAT_S = 0.1
STEEP_S = 0.3


async def brew(n: int) -> str:
    """Make one cup: heat the water, then let the tea steep."""
    await timer(HEAT_S)
    await timer(STEEP_S)
    return f"cup {n}"


async def timer(seconds: float) -> None:
    done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    asyncio.get_running_loop().call_later(seconds, done.set_result, None)
    await done


async def main() -> list[str]:
    """Make all cups; return them in the order of their numbers."""
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(brew(n)) for n in range(1, CUPS + 1)]
    return [task.result() for task in tasks]


if __name__ == "__main__":
    print(asyncio.run(main()))
