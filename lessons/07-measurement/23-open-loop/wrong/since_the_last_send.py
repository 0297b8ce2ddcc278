"""After each request it sleeps for 1 / RATE, so whatever holds up one holds up all after it.

Breaks: Fix it. Request n is due n / RATE seconds after the start, whatever happened to those before
it.
Fault: only what became due meanwhile may be late
"""


async def ask(n: int, server: asyncio.Semaphore, connections: asyncio.Semaphore, due_s: float) -> float:
    """Send request n over a free connection, and return how long it took since it was due."""
    await sign(n)
    async with connections:
        await answer(n, server)
    return time.perf_counter() - due_s


async def measure() -> list[float]:
    server, connections = asyncio.Semaphore(1), asyncio.Semaphore(CONNECTIONS)
    asked = []
    async with asyncio.TaskGroup() as group:
        for n in range(REQUESTS):
            asked.append(group.create_task(ask(n, server, connections, time.perf_counter())))
            await asyncio.sleep(1 / RATE)
    return [task.result() for task in asked]
