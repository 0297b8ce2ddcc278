"""The sums run in threads of the program, under the number of a process that is made up.

Breaks: each sum in another one.
Fault: no pool of processes was given any work
"""

from concurrent.futures import ThreadPoolExecutor


def chosen(fetches: range, sums: range) -> list[Done]:
    with ThreadPoolExecutor(2) as pool:
        jobs = [pool.submit(summed, n) for n in sums]
        return [*asyncio.run(fetch_all(fetches)), *(job.result() for job in jobs)]


def summed(n: int) -> Done:
    return "sum", n, sum(i * i % (1009 + n) for i in range(SQUARES)), os.getpid() + 1, time.monotonic()
