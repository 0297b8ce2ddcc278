"""All fetches at the same time, in a thread each: all that they keep is kept at the same time.

Breaks: 0.7 of its memory.
Fault: The memory may be 70% of the reference's
"""

from concurrent.futures import ThreadPoolExecutor


def chosen(fetches: range, sums: range) -> list[Done]:
    with (
        ProcessPoolExecutor(2, mp_context=get_context("spawn")) as others,
        ThreadPoolExecutor(len(fetches)) as pool,
    ):
        jobs = [others.submit(add_up, n, SQUARES) for n in sums]
        jobs += [pool.submit(fetch, n, FETCH_MS, KEEPS_MIB) for n in fetches]
    return [job.result() for job in jobs]
