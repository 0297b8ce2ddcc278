"""Wrong: follow has its own deadline and returns. Anything else that stops it gets no CancelledError."""

import asyncio

DEADLINE_S = 0.55
QUESTIONS = 10
DONE_AT = 0
DROPS_AT = 2
REFUSES_AT = 0
ASK_S = 0.1
PAUSE_S = 0.1
GOODBYE_S = 0.05


async def ask(n: int) -> bool:
    """Ask the server whether the job is done. Leave this function as it is."""
    await asyncio.sleep(ASK_S)
    if n == DROPS_AT:
        raise ConnectionError("the line dropped")
    if n == REFUSES_AT:
        raise PermissionError("this is not your job")
    return n == DONE_AT


async def say_goodbye() -> None:
    """Tell the server that nobody will ask any more. Leave this function as it is."""
    await asyncio.sleep(GOODBYE_S)


async def follow() -> str:
    """Ask until the job is done. If the line drops, ask again. However it ends, say goodbye."""
    answer = "still not done"
    try:
        async with asyncio.timeout(DEADLINE_S):
            for n in range(1, QUESTIONS + 1):
                try:
                    if await ask(n):
                        answer = "done"
                        break
                    await asyncio.sleep(PAUSE_S)
                except ConnectionError as error:
                    print(f"question {n}: {error!r}; asking again")
    except TimeoutError:
        answer = "given up"
    finally:
        await say_goodbye()
    return answer


async def main() -> str:
    """Follow the job until the deadline. Leave this function as it is."""
    return await follow()


if __name__ == "__main__":
    print(asyncio.run(main()))
