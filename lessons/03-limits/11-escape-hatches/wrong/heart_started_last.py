"""The heart is started only when the answers are there.

Breaks: the heart beats until the last answer.
Fault: The heart should beat while the requests are open; it started when answer(
"""


async def main(pool: ProcessPoolExecutor) -> list[int]:
    """Answer all requests at the same time; return the answers in order."""
    async with asyncio.TaskGroup() as group:
        answers = [group.create_task(answer(n, pool)) for n in range(1, REQUESTS + 1)]
    beating = asyncio.create_task(heart())
    await asyncio.sleep(BEAT_S)
    beating.cancel()
    return [task.result() for task in answers]
