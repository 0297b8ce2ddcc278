"""Forty jobs each wait and compute: how long do they take one after another?

Predict it before you run it:  python one_by_one.py
"""

import time

JOBS = 40
JOB_MS = 50
IO_SHARE = 90
PROCESSES = 2


def wait(ms: float) -> None:
    """Wait for something else: a database, a disk, another service."""
    time.sleep(ms / 1000)


def compute(ms: float) -> None:
    """Use this much processor time, however many others want the processor too."""
    end_s = time.thread_time() + ms / 1000
    while time.thread_time() < end_s:
        pass


def work(waits_ms: float, computes_ms: float) -> None:
    wait(waits_ms)
    compute(computes_ms)


def job(n: int, waits_ms: float, computes_ms: float) -> int:
    work(waits_ms, computes_ms)
    return n


def main() -> None:
    waits_ms = JOB_MS * IO_SHARE / 100
    parts = (waits_ms, JOB_MS - waits_ms)
    done = [job(n, *parts) for n in range(JOBS)]
    print(f"{len(done)} jobs are done")


if __name__ == "__main__":
    main()
