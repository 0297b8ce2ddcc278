"""The open question is stopped only when goodbye has been said, in real time.

Breaks: Fix follow. At the deadline it stops, wherever it is,
Fault: the question that is still open should stop too; ask(
"""

import time


async def follow() -> str:
    """Ask until the job is done. If the line drops, ask again. However it ends, say goodbye."""
    answer = "still not done"
    open_question = None
    try:
        for n in range(1, QUESTIONS + 1):
            try:
                open_question = asyncio.create_task(ask(n))
                if await asyncio.shield(open_question):
                    answer = "done"
                    break
                await asyncio.to_thread(time.sleep, PAUSE_S)
            except ConnectionError as error:
                print(f"question {n}: {error!r}; asking again")
    finally:
        await say_goodbye()
        if open_question is not None and not open_question.done():
            open_question.cancel()
            await asyncio.wait([open_question])
    return answer
