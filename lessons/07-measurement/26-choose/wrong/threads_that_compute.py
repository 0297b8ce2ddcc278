"""The fetches are fine in threads, but the sums take turns there.

Breaks: each sum in another one.
Fault: 6 sums were computed in the program's own process
"""

from concurrent.futures import ThreadPoolExecutor


def chosen(fetches: range, sums: range) -> list[Done]:
    with ThreadPoolExecutor(16) as pool:
        jobs = [pool.submit(fetch, n, FETCH_MS, KEEPS_MIB) for n in fetches]
        jobs += [pool.submit(add_up, n, SQUARES) for n in sums]
    return [job.result() for job in jobs]
