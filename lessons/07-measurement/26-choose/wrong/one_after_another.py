"""Nothing overlaps, so the last fetch waits for all others.

Breaks: At most 0.6 of the reference's p99
Fault: The p99 of the fetches may be 60% of the reference's
"""


def chosen(fetches: range, sums: range) -> list[Done]:
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        jobs = [pool.submit(add_up, n, SQUARES) for n in sums]
        done = [fetch(n, FETCH_MS, KEEPS_MIB) for n in fetches]
    return [*done, *(job.result() for job in jobs)]
