"""Nothing blocks, but the cancellation is caught along with the errors, and the loop asks on.

Breaks: Fix follow. At the deadline it stops, wherever it is,
Fault: It was asked to stop at the deadline and went on with ask(5)
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
            except (ConnectionError, asyncio.CancelledError) as error:
                print(f"question {n}: {error!r}; asking again")
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
