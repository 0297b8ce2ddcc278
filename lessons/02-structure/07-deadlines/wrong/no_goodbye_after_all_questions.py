"""It says goodbye when the job is done and at the deadline, and not when it runs out of questions.

Breaks: also when the job is done, when all QUESTIONS were asked,
Fault: There should be 1 call of say_goodbye; there were none
"""


async def follow() -> str:
    """Ask until the job is done. If the line drops, ask again. However it ends, say goodbye."""
    try:
        for n in range(1, QUESTIONS + 1):
            try:
                if await ask(n):
                    await say_goodbye()
                    return "done"
                await asyncio.sleep(PAUSE_S)
            except ConnectionError as error:
                print(f"question {n}: {error!r}; asking again")
    except asyncio.CancelledError:
        await say_goodbye()
        raise
    return "still not done"
