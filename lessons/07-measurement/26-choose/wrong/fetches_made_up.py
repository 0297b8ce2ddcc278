"""Nothing is fetched: the results are made up, and so are the times.

Breaks: Each fetch runs in this process
Fault: Each fetch should run in the program's own process
"""


async def fetch_all(fetches: range) -> list[Done]:
    gate = asyncio.Semaphore(16)

    async def one(n: int) -> Done:
        async with gate:
            kept = b"." * (KEEPS_MIB << 20)
            await asyncio.sleep(FETCH_MS / 1000)
            return "fetch", n, n * len(kept), os.getpid(), time.monotonic()

    return await asyncio.gather(*(one(n) for n in fetches))
