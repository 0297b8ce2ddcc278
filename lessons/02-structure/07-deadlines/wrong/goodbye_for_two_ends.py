"""It says goodbye at the deadline and at the end, but not when the server refuses.

Breaks: when the server refuses to answer.
Fault: There should be 1 call of say_goodbye; there were none
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
    await say_goodbye()
    return answer
