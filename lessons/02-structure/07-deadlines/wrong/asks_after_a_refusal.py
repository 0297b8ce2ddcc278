"""OSError is more than a dropped line: a PermissionError is one, too.

Breaks: when the server refuses to answer.
Fault: the server refuses to answer. Do not ask it again
"""


async def follow() -> str:
    """Ask until the job is done. If the line drops, ask again. However it ends, say goodbye."""
    try:
        for n in range(1, QUESTIONS + 1):
            try:
                if await ask(n):
                    return "done"
                await asyncio.sleep(PAUSE_S)
            except OSError as error:
                print(f"question {n}: {error!r}; asking again")
        return "still not done"
    finally:
        await say_goodbye()
