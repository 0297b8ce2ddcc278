"""The sums are computed on the event loop, while fetches wait for it.

Breaks: each sum in another one.
Fault: 6 sums were computed in the program's own process
"""


async def fetch_all(fetches: range, sums: range) -> list[Done]:
    gate = asyncio.Semaphore(16)

    async def one(n: int) -> Done:
        async with gate:
            return await fetch_async(n, FETCH_MS, KEEPS_MIB)

    done = asyncio.gather(*(one(n) for n in fetches))
    await asyncio.sleep(0)
    return [*(add_up(n, SQUARES) for n in sums), *await done]


def chosen(fetches: range, sums: range) -> list[Done]:
    return asyncio.run(fetch_all(fetches, sums))
