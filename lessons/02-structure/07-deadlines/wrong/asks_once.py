"""Is over long before the deadline, because it asks only once.

Breaks: also when the job is done, when all QUESTIONS were asked,
Fault: There should be 4 questions; there was 1
"""


async def follow() -> str:
    """Ask until the job is done. If the line drops, ask again. However it ends, say goodbye."""
    answer = "still not done"
    try:
        if await ask(1):
            answer = "done"
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
