"""Its clock starts when a request is signed, which is after it was due.

Breaks: measure returns how many seconds each request took, from when it was due until it was
answered
Fault: so it took
"""


async def ask(n: int, server: asyncio.Semaphore, connections: asyncio.Semaphore) -> float:
    """Send request n over a free connection, and return how long it took since it was signed."""
    await sign(n)
    signed_s = time.perf_counter()
    async with connections:
        await answer(n, server)
    return time.perf_counter() - signed_s


async def measure() -> list[float]:
    server, connections = asyncio.Semaphore(1), asyncio.Semaphore(CONNECTIONS)
    start_s = time.perf_counter()
    asked = []
    async with asyncio.TaskGroup() as group:
        for n in range(REQUESTS):
            await asyncio.sleep(max(0.0, start_s + n / RATE - time.perf_counter()))
            asked.append(group.create_task(ask(n, server, connections)))
    return [task.result() for task in asked]
