"""Wrong: the pause that held up the deadline has been left out."""

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
        for n in range(1, QUESTIONS + 1):
            try:
                if await ask(n):
                    answer = "done"
                    break
            except ConnectionError as error:
                print(f"question {n}: {error!r}; asking again")
    finally:
        await say_goodbye()
    return answer


async def main() -> str:
    """Follow the job until the deadline. Leave this function as it is."""
    try:
        async with asyncio.timeout(DEADLINE_S):
            return await follow()
    except TimeoutError:
        return "given up"
    except PermissionError:
        return "refused"


if __name__ == "__main__":
    print(asyncio.run(main()))
