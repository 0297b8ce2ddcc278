"""An interpreter for each of many waits.

Breaks: 0.7 of its memory.
Fault: of the reference's
"""


def chosen(fetches: range, sums: range) -> list[Done]:
    with ProcessPoolExecutor(24, mp_context=get_context("spawn")) as pool:
        jobs = [pool.submit(add_up, n, SQUARES) for n in sums]
        jobs += [pool.submit(fetch, n, FETCH_MS, KEEPS_MIB) for n in fetches]
    return [job.result() for job in jobs]
