"""Looks every 5 ms whether the next request is due.

Breaks: Send it when it is due, or as soon as one of the CONNECTIONS is free.
Fault: whatever happened to those before it
"""


async def measure() -> list[float]:
    server, connections = asyncio.Semaphore(1), asyncio.Semaphore(CONNECTIONS)
    start_s = time.perf_counter()
    asked = []
    async with asyncio.TaskGroup() as group:
        for n in range(REQUESTS):
            due_s = start_s + n / RATE
            await sign(n)
            while time.perf_counter() < due_s:
                await asyncio.sleep(0.005)
            asked.append(group.create_task(ask(n, server, connections, due_s)))
    return [task.result() for task in asked]
