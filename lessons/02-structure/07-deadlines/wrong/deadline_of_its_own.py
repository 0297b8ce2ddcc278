"""follow has its own deadline and returns. Anything else that stops it gets no CancelledError.

Breaks: says goodbye and ends as cancelled, so that main returns "given up".
Fault: it should end as cancelled; it returned 'given up'
"""


async def follow() -> str:
    """Ask until the job is done. If the line drops, ask again. However it ends, say goodbye."""
    answer = "still not done"
    try:
        async with asyncio.timeout(DEADLINE_S):
            for n in range(1, QUESTIONS + 1):
                try:
                    if await ask(n):
                        answer = "done"
                        break
                    await asyncio.sleep(PAUSE_S)
                except ConnectionError as error:
                    print(f"question {n}: {error!r}; asking again")
    except TimeoutError:
        answer = "given up"
    finally:
        await say_goodbye()
    return answer


async def main() -> str:
    """Follow the job until the deadline. Leave this function as it is."""
    return await follow()
