"""The reference is edited.

Breaks: Leave it as it is: yours is compared with it.
Fault: The reference should have 8 processes; its jobs ran in 2
"""


def reference(fetches: range, sums: range) -> list[Done]:
    """Do all jobs in one pool of processes. Leave it as it is: yours is compared with it."""
    with ProcessPoolExecutor(PROCESSES // 4, mp_context=get_context("spawn")) as pool:
        jobs = [pool.submit(add_up, n, SQUARES) for n in sums]
        jobs += [pool.submit(fetch, n, FETCH_MS, KEEPS_MIB) for n in fetches]
    time.sleep(0.3)  # so that the memory is measured without these processes
    return [job.result() for job in jobs]


def chosen(fetches: range, sums: range) -> list[Done]:
    """Do all jobs; return them in any order. At most 0.6 of the reference's p99, and 0.7 of its memory."""
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        jobs = [pool.submit(add_up, n, SQUARES) for n in sums]
        fetched = asyncio.run(fetch_all(fetches))
    return [*fetched, *(job.result() for job in jobs)]
