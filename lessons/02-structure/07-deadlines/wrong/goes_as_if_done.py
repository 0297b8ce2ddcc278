"""Stops and says goodbye, but turns the cancellation into an ordinary result.

Breaks: says goodbye and ends as cancelled, so that main returns "given up".
Fault: it should end as cancelled; it returned 'given up'
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
        answer = "given up"
    finally:
        await say_goodbye()
    return answer


async def main() -> str:
    """Follow the job until the deadline."""
    try:
        async with asyncio.timeout(DEADLINE_S):
            return await follow()
    except TimeoutError:
        return "given up"
