"""As wrk does it. CONNECTIONS clients ask again as soon as they are answered; RATE is in no line.

Breaks: Fix it. Request n is due n / RATE seconds after the start, whatever happened to those before
it.
Fault: is not due before
"""


async def ask(n: int, server: asyncio.Semaphore) -> float:
    await sign(n)
    sent_s = time.perf_counter()
    await answer(n, server)
    return time.perf_counter() - sent_s


async def measure() -> list[float]:
    server = asyncio.Semaphore(1)
    took_s = [0.0] * REQUESTS
    turns = iter(range(REQUESTS))

    async def client() -> None:
        for n in turns:
            took_s[n] = await ask(n, server)

    async with asyncio.TaskGroup() as group:
        for _ in range(CONNECTIONS):
            group.create_task(client())
    return took_s
