"""Stops at the deadline, and leaves without a goodbye.

Breaks: However it ends, it says goodbye, once:
Fault: There should be 1 call of say_goodbye; there were none
"""


async def follow() -> str:
    """Ask until the job is done. If the line drops, ask again. However it ends, say goodbye."""
    answer = "still not done"
    for n in range(1, QUESTIONS + 1):
        try:
            if await ask(n):
                answer = "done"
                break
            await asyncio.sleep(PAUSE_S)
        except ConnectionError as error:
            print(f"question {n}: {error!r}; asking again")
    await say_goodbye()
    return answer


async def main() -> str:
    """Follow the job until the deadline."""
    try:
        async with asyncio.timeout(DEADLINE_S):
            return await follow()
    except TimeoutError:
        return "given up"
