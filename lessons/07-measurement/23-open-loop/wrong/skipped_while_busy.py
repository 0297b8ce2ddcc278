"""While no connection is free, nothing is sent. These are the requests that would have been late.

Breaks: Send it when it is due, or as soon as one of the CONNECTIONS is free.
Fault: There should be 60 requests to the server
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
            if not connections.locked():
                asked.append(group.create_task(ask(n, server, connections, due_s)))
    return [task.result() for task in asked]
