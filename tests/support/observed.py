"""Functions to observe, in a module that is imported fast: each run is a process that does it."""

from __future__ import annotations

import asyncio
import os

from tests.support.fetching import fetch

CHANGED = False


async def at_once(count: int) -> list[int]:
    return await asyncio.gather(*(fetch(number) for number in range(1, count + 1)))


async def one_by_one(count: int) -> list[int]:
    return [await fetch(number) for number in range(1, count + 1)]


def in_another_process() -> tuple[int, bool]:
    return os.getpid(), CHANGED


def infinite() -> float:
    return float("inf")


async def fails() -> None:
    raise LookupError("no such cup")


async def waits_for_ever() -> None:
    await asyncio.Event().wait()
