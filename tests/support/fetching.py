"""A function of another module than the test's, to be observed."""

from __future__ import annotations

import asyncio


async def fetch(number: int) -> int:
    await asyncio.sleep(0.1)
    return number
