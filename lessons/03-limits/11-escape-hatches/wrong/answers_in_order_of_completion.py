"""The answers are in the order in which they came.

Breaks: in order.
Fault: main() should return [
"""


async def main(pool: ProcessPoolExecutor) -> list[int]:
    """Answer all requests at the same time; return the answers in order."""
    beating = asyncio.create_task(heart())
    answers = [asyncio.create_task(answer(n, pool)) for n in range(1, REQUESTS + 1)]
    numbers = [await done for done in asyncio.as_completed(answers)]
    beating.cancel()
    return numbers
