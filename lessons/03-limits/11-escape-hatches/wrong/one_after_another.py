"""Processes, but each request waits for the one before it: one worker computes, the others idle.

Breaks: All requests are still open at the same time,
Breaks: Answer all requests at the same time; return the answers
Fault: All 6 answers should be open at one moment
"""


async def main(pool: ProcessPoolExecutor) -> list[int]:
    """Answer all requests at the same time; return the answers in order."""
    beating = asyncio.create_task(heart())
    answers = [await answer(n, pool) for n in range(1, REQUESTS + 1)]
    beating.cancel()
    return answers
