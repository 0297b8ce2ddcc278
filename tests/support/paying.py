"""Functions to observe, in a module that is imported fast: each schedule is a process that does it."""

from __future__ import annotations

import asyncio

store = {"balance": 0}


async def pay_in(n: int) -> None:
    await asyncio.sleep(n * 0.2)
    before = store["balance"]
    await asyncio.sleep(0.1)
    store["balance"] = before + n


async def pay_in_two() -> int:
    """3, or 2 in a schedule in which one of them is late."""
    await asyncio.gather(pay_in(1), pay_in(2))
    return store["balance"]


async def wait() -> str:
    await asyncio.sleep(1)
    return "waited"


async def in_a_thread() -> None:
    await asyncio.to_thread(print)
