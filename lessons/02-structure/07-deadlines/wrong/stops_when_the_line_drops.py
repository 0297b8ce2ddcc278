"""No error is caught any more, so a dropped line ends the program.

Breaks: Keep the rest: when the line drops, it asks again immediately,
Fault: ConnectionError: the line dropped
"""


async def follow() -> str:
    """Ask until the job is done. If the line drops, ask again. However it ends, say goodbye."""
    answer = "still not done"
    try:
        for n in range(1, QUESTIONS + 1):
            if await ask(n):
                answer = "done"
                break
            await asyncio.sleep(PAUSE_S)
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
