"""The times are sorted, so nobody can tell which request took how long.

Breaks: all of them, in order.
Fault: so it took
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
    return sorted(task.result() for task in asked)
