"""The functions write down themselves where they wait.

Run it alone with:  python written_by_the_orders.py

Breaks: Leave the rest of the file as it is.
Fault: as the exercise has it
"""

import sys

at: dict[str, tuple[str, int]] = {}


async def wait(step: asyncio.Event) -> None:
    task, caller = asyncio.current_task(), sys._getframe(1)
    assert task is not None
    at[task.get_name()] = (caller.f_code.co_name, caller.f_lineno)
    await step.wait()
    del at[task.get_name()]


def stuck() -> list[tuple[str, str, int]]:
    return [(name, *place) for name, place in at.items()]


async def handle(n: int, steps: Steps) -> None:
    parcel = asyncio.create_task(pack(steps), name=f"parcel {n}")
    await wait(steps["stock"])
    await charge(steps)
    await parcel


async def charge(steps: Steps) -> None:
    await ask_the_bank(steps)
    await wait(steps["receipt"])


async def ask_the_bank(steps: Steps) -> None:
    await wait(steps["card"])
    await wait(steps["money"])


async def pack(steps: Steps) -> None:
    await wait(steps["box"])
    await wait(steps["label"])
