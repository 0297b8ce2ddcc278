"""The formula knows the mean rate of the server, and nothing of a stall or of an idle server.

Breaks: measure returns how many seconds each request took, from when it was due until it was
answered
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
    return [
        max(SERVICE_MS / 1000, n * (SERVICE_MS / 1000 - 1 / RATE) + SERVICE_MS / 1000)
        for n in range(len(asked))
    ]
