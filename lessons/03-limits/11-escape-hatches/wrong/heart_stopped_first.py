"""The heart is stopped before the answers are there.

Breaks: the heart beats until the last answer.
Fault: The heart should beat until all requests are answered
"""


async def main(pool: ProcessPoolExecutor) -> list[int]:
    """Answer all requests at the same time; return the answers in order."""
    beating = asyncio.create_task(heart())
    async with asyncio.TaskGroup() as group:
        answers = [group.create_task(answer(n, pool)) for n in range(1, REQUESTS + 1)]
        await asyncio.sleep(BEAT_S)
        beating.cancel()
    return [task.result() for task in answers]
