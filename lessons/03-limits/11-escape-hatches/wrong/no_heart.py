"""All else that lived on the event loop has been left out.

Breaks: Leave this function as it is.
Fault: There should be 1 call of heart; there were none
"""


async def main(pool: ProcessPoolExecutor) -> list[int]:
    """Answer all requests at the same time; return the answers in order."""
    async with asyncio.TaskGroup() as group:
        answers = [group.create_task(answer(n, pool)) for n in range(1, REQUESTS + 1)]
    return [task.result() for task in answers]
