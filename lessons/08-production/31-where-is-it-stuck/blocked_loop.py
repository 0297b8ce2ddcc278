"""Three transfers, and not all of them end: does the program say where the others wait?

Predict how many tasks the watchdog reports:  python blocked_loop.py
"""

import asyncio
import faulthandler
import threading

TRANSFERS = 3
GAP_S = 0.1
NOTE_S = 0.4
PATIENCE_S = 1.0
EXIT_S = 1.8

accounts = threading.Lock()


async def note() -> None:
    """Write into the books."""
    await asyncio.sleep(NOTE_S)


async def transfer(n: int) -> None:
    """Move money between accounts, one transfer at a time."""
    with accounts:
        await note()


def report(name: str, line: int) -> None:
    """Say where a task waits."""
    print(f"{name} waits at line {line}")


async def watchdog() -> None:
    """After PATIENCE_S, report where each other task waits."""
    await asyncio.sleep(PATIENCE_S)
    for task in sorted(asyncio.all_tasks() - {asyncio.current_task()}, key=asyncio.Task.get_name):
        report(task.get_name(), task.get_stack()[-1].f_lineno)


async def main() -> None:
    dog = asyncio.create_task(watchdog())
    async with asyncio.TaskGroup() as group:
        for n in range(1, TRANSFERS + 1):
            group.create_task(transfer(n), name=f"transfer {n}")
            await asyncio.sleep(GAP_S)
    dog.cancel()


if __name__ == "__main__":
    faulthandler.dump_traceback_later(EXIT_S, exit=True)
    asyncio.run(main())
