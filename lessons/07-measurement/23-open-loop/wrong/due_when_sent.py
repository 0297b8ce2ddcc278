"""A request that is sent late is taken for one that was due late; nothing is late any more.

Breaks: measure returns how many seconds each request took, from when it was due until it was
answered
Fault: greatest time that measure returned is
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
            await connections.acquire()
            connections.release()
            asked.append(group.create_task(ask(n, server, connections, time.perf_counter())))
    return [task.result() for task in asked]
