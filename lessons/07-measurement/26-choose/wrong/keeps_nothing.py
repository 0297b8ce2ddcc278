"""The fetches are edited: they only say what they would have kept.

Breaks: Leave this one and the next two as they are.
Fault: Leave fetch and fetch_async as they are
"""


async def fetch_async(n: int, ms: int, keeps_mib: int) -> Done:
    await asyncio.sleep(ms / 1000)
    return "fetch", n, n * (keeps_mib << 20), os.getpid(), time.monotonic()


async def fetch_all(fetches: range) -> list[Done]:
    gate = asyncio.Semaphore(1000)

    async def one(n: int) -> Done:
        async with gate:
            return await fetch_async(n, FETCH_MS, KEEPS_MIB)

    return await asyncio.gather(*(one(n) for n in fetches))


def chosen(fetches: range, sums: range) -> list[Done]:
    """Do all jobs; return them in any order. At most 0.6 of the reference's p99, and 0.7 of its memory."""
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        jobs = [pool.submit(add_up, n, SQUARES) for n in sums]
        fetched = asyncio.run(fetch_all(fetches))
    return [*fetched, *(job.result() for job in jobs)]
