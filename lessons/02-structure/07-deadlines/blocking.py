"""A deadline of half a second, and work that would take longer: when is the work over?

Predict the moment, and what is printed, before you run it:  python blocking.py
"""

import asyncio
import time

DEADLINE_S = 0.5
TRIES = 6
TRY_S = 0.2


async def dial(n: int) -> bool:
    """Let it ring for TRY_S; nobody ever answers. However it ends, hang up."""
    try:
        time.sleep(TRY_S)
        return False
    finally:
        print(f"try {n}: hung up")


async def call() -> bool:
    """Try again and again; return whether somebody answered."""
    for n in range(1, TRIES + 1):
        try:
            if await dial(n):
                return True
        except asyncio.CancelledError:
            print(f"try {n}: asked to stop")
            raise
    return False


async def main() -> None:
    try:
        async with asyncio.timeout(DEADLINE_S):
            await call()
        print("over, without a TimeoutError")
    except TimeoutError:
        print("given up at the deadline")


if __name__ == "__main__":
    asyncio.run(main())
