"""Everything is due at the start. That is a burst, and no rate.

Breaks: Fix it. Request n is due n / RATE seconds after the start, whatever happened to those before
it.
Fault: is not due before
"""


async def measure() -> list[float]:
    server, connections = asyncio.Semaphore(1), asyncio.Semaphore(CONNECTIONS)
    start_s = time.perf_counter()
    asked = []
    async with asyncio.TaskGroup() as group:
        for n in range(REQUESTS):
            due_s = start_s
            await sign(n)
            asked.append(group.create_task(ask(n, server, connections, due_s)))
    return [task.result() for task in asked]
