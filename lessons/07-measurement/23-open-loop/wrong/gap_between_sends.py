"""Each pause begins when the one before is over and a request is signed, so the sends drift.

Breaks: Fix it. Request n is due n / RATE seconds after the start, whatever happened to those before
it.
Fault: whatever happened to those before it
"""


async def measure() -> list[float]:
    server, connections = asyncio.Semaphore(1), asyncio.Semaphore(CONNECTIONS)
    asked = []
    async with asyncio.TaskGroup() as group:
        for n in range(REQUESTS):
            await sign(n)
            asked.append(group.create_task(ask(n, server, connections, time.perf_counter())))
            await asyncio.sleep(1 / RATE)
    return [task.result() for task in asked]
