"""The results of the sums are waited for on the event loop, while fetches wait for it.

Breaks: Nothing may block an event loop.
Fault: calls that block were made on the event loop
"""


async def do_all(fetches: range, sums: range, pool: ProcessPoolExecutor) -> list[Done]:
    fetched = asyncio.create_task(fetch_all(fetches))
    await asyncio.sleep(0)
    jobs = [pool.submit(add_up, n, SQUARES) for n in sums]
    return [*(job.result() for job in jobs), *await fetched]


def chosen(fetches: range, sums: range) -> list[Done]:
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        return asyncio.run(do_all(fetches, sums, pool))
