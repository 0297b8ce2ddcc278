"""It pauses after a dropped line too, when it should ask again immediately.

Breaks: Keep the rest: when the line drops, it asks again immediately,
Fault: The line dropped in ask(2). It should ask again immediately; ask(3) started 0.10 s later
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
            except ConnectionError as error:
                print(f"question {n}: {error!r}; asking again")
            await asyncio.sleep(PAUSE_S)
    finally:
        await say_goodbye()
    return answer
