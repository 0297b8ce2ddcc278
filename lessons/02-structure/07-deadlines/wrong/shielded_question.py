"""follow stops at the deadline, but the question that it asked goes on, since it is shielded.

Breaks: Fix follow. At the deadline it stops, wherever it is,
Fault: the question that is still open should stop too; ask(
"""


async def follow() -> str:
    """Ask until the job is done. If the line drops, ask again. However it ends, say goodbye."""
    answer = "still not done"
    try:
        for n in range(1, QUESTIONS + 1):
            try:
                if await asyncio.shield(ask(n)):
                    answer = "done"
                    break
                await asyncio.sleep(PAUSE_S)
            except ConnectionError as error:
                print(f"question {n}: {error!r}; asking again")
    finally:
        await say_goodbye()
    return answer
