"""The pause that held up the deadline has been left out.

Breaks: after any other answer it first pauses for PAUSE_S.
Fault: After ask(1) should come a pause of 0.10 s; it was 0.00 s
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
    finally:
        await say_goodbye()
    return answer
