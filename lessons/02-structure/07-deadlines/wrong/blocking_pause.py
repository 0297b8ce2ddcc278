"""The cancellation is let through, but the pause still holds the event loop.

Breaks: Fix follow. At the deadline it stops, wherever it is,
Fault: No step may hold the event loop longer than 50 ms
"""

import time


async def follow() -> str:
    """Ask until the job is done. If the line drops, ask again. However it ends, say goodbye."""
    answer = "still not done"
    try:
        for n in range(1, QUESTIONS + 1):
            try:
                if await ask(n):
                    answer = "done"
                    break
                time.sleep(PAUSE_S)
            except ConnectionError as error:
                print(f"question {n}: {error!r}; asking again")
    finally:
        await say_goodbye()
    return answer


async def main() -> str:
    """Follow the job until the deadline."""
    try:
        async with asyncio.timeout(DEADLINE_S):
            return await follow()
    except TimeoutError:
        return "given up"
