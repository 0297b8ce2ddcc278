"""A job that was never done is called done.

Breaks: It returns "done" or "still not done".
Fault: follow() should return 'still not done'
"""


async def follow() -> str:
    """Ask until the job is done. If the line drops, ask again. However it ends, say goodbye."""
    try:
        for n in range(1, QUESTIONS + 1):
            try:
                if await ask(n):
                    return "done"
                await asyncio.sleep(PAUSE_S)
            except ConnectionError as error:
                print(f"question {n}: {error!r}; asking again")
        return "done"
    finally:
        await say_goodbye()
