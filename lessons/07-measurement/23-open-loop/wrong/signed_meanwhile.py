"""Signing is started and not waited for, so that a request may be on its way before it is signed.

Breaks: Each request is signed before it is sent.
Fault: was sent without that
"""


async def measure() -> list[float]:
    server, connections = asyncio.Semaphore(1), asyncio.Semaphore(CONNECTIONS)
    start_s = time.perf_counter()
    asked = []
    async with asyncio.TaskGroup() as group:
        for n in range(REQUESTS):
            due_s = start_s + n / RATE
            await asyncio.sleep(max(0.0, due_s - time.perf_counter()))
            group.create_task(sign(n))
            asked.append(group.create_task(ask(n, server, connections, due_s)))
    return [task.result() for task in asked]
