"""The greatest is named alone; all the others are lost.

Breaks: all of them, in order.
Fault: measure should return a time for each of the 60 requests
"""


async def measure() -> list[float]:
    server, connections = asyncio.Semaphore(1), asyncio.Semaphore(CONNECTIONS)
    start_s = time.perf_counter()
    asked = []
    async with asyncio.TaskGroup() as group:
        for n in range(REQUESTS):
            due_s = start_s + n / RATE
            await sign(n)
            await asyncio.sleep(max(0.0, due_s - time.perf_counter()))
            asked.append(group.create_task(ask(n, server, connections, due_s)))
    return [max(task.result() for task in asked)]
