"""Very many steps, tasks or threads that leave nothing behind: all that grows is what somebody else keeps.

python endurance.py REPORT steps|tasks|threads COUNT
"""

import asyncio
import json
import resource
import sys
import threading
import time
from pathlib import Path

LANES = 1000


def most_bytes() -> int:
    """The largest size of this process so far."""
    try:  # what the other counts may be that of who started us
        lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM:"))


async def worker(sleeps: int) -> None:
    for _ in range(sleeps):
        await asyncio.sleep(0)


async def steps(count: int) -> None:
    lanes = min(LANES, count)
    await asyncio.gather(*(worker(count // lanes) for _ in range(lanes)))


async def tasks(count: int) -> None:
    for _ in range(0, count, 100):
        await asyncio.gather(*(worker(1) for _ in range(100)))


def threads(count: int) -> None:
    for _ in range(count):
        thread = threading.Thread(target=int)
        thread.start()
        thread.join()


if __name__ == "__main__":
    report, kind, count = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    before_bytes, before_s = most_bytes(), time.process_time()
    if kind == "threads":
        threads(count)
    else:
        asyncio.run({"steps": steps, "tasks": tasks}[kind](count))
    found = {
        "cpu_s": time.process_time() - before_s,
        "grown_bytes": most_bytes() - before_bytes,
        "ended_s": time.monotonic(),
    }
    report.write_text(json.dumps(found), encoding="utf-8")
