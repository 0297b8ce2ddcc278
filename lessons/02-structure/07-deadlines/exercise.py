"""A program asks a server again and again whether a job is done, and is to give up at the deadline. It does
not: it asks on and on, long after.

Mend follow: at the deadline it stops, wherever it is, and says goodbye; then main returns "given up". It says
goodbye once, however it ends. Keep the rest: when the line drops it asks again at once, and the pauses stay
as long as they are.

Run it alone with:  python exercise.py
"""

import asyncio
import time

DEADLINE_S = 0.55
QUESTIONS = 10
DONE_AT = 0
DROPS_AT = 2
ASK_S = 0.1
PAUSE_S = 0.1
GOODBYE_S = 0.05


async def ask(n: int) -> bool:
    """Ask the server whether the job is done. Sometimes the line drops. Leave this function as it is."""
    await asyncio.sleep(ASK_S)
    if n == DROPS_AT:
        raise ConnectionError("the line dropped")
    return n == DONE_AT


async def say_goodbye() -> None:
    """Tell the server that nobody asks any more. Leave this function as it is."""
    await asyncio.sleep(GOODBYE_S)


async def follow() -> str:
    """Ask until the job is done; if the line drops, ask again. However it ends: say goodbye."""
    answer = "still not done"
    for n in range(1, QUESTIONS + 1):
        try:
            if await ask(n):
                answer = "done"
                break
            time.sleep(PAUSE_S)  # TODO: can the deadline do anything during this?
        except (ConnectionError, asyncio.CancelledError) as error:  # TODO: which of them is no error?
            print(f"question {n}: {error!r}; asking again")
    await say_goodbye()  # TODO: does this happen, however it ends?
    return answer


async def main() -> str:
    """Follow the job until the deadline. Leave this function as it is."""
    try:
        async with asyncio.timeout(DEADLINE_S):
            return await follow()
    except TimeoutError:
        return "given up"


if __name__ == "__main__":
    print(asyncio.run(main()))
