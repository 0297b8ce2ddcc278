"""Fifty waiters, each a task: how much memory do they reserve, and how much of it do they use?

Predict both before you run it:  python tasks.py
"""

import asyncio

WAITERS = 50
KEEPS_KIB = 0
STACK_KIB = 0
EVERY_S = 0.01
HOLD_S = 0.5


async def wait(n: int, gate: asyncio.Event) -> None:
    """Fill the memory that this waiter keeps for its work, then wait until the gate opens."""
    kept = b"." * (KEEPS_KIB * 1024)
    await gate.wait()
    del kept


async def main() -> None:
    gate = asyncio.Event()
    waiters: list[asyncio.Task[None]] = []
    for n in range(1, WAITERS + 1):
        waiters.append(asyncio.create_task(wait(n, gate)))
        await asyncio.sleep(EVERY_S)
    await asyncio.sleep(HOLD_S)
    gate.set()
    await asyncio.gather(*waiters)
    print(f"{WAITERS} waiters are done")


if __name__ == "__main__":
    asyncio.run(main())
