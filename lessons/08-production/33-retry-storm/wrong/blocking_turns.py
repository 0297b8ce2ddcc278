"""Waits for its turn with time.sleep: nothing else happens meanwhile, and no deadline comes.

Breaks: whatever it is waiting for.
Fault: No step may hold the event loop longer than 50 ms
"""

import time


async def request(n: int) -> str:
    """Ask until there is an answer, another error, or no time left."""
    async with asyncio.timeout(DEADLINE_S):
        while True:
            time.sleep(1 / RATE)
            await asyncio.sleep(0)
            try:
                return await attempt(n)
            except ConnectionError:
                continue
