"""At the deadline it says goodbye twice.

Breaks: However it ends, it says goodbye, once:
Fault: There should be 1 call of say_goodbye; there were 2
"""


async def follow() -> str:
    """Ask until the job is done. If the line drops, ask again. However it ends, say goodbye."""
    answer = "still not done"
    try:
        for n in range(1, QUESTIONS + 1):
            try:
                if await ask(n):
                    answer = "done"
                    break
                await asyncio.sleep(PAUSE_S)
            except ConnectionError as error:
                print(f"question {n}: {error!r}; asking again")
    except asyncio.CancelledError:
        await say_goodbye()
        raise
    finally:
        await say_goodbye()
    return answer
