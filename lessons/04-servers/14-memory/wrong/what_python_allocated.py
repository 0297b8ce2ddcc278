"""Counts what Python has allocated. Stacks, and what the allocator needs, are not in it.

Breaks: the process grows
Fault: in memory (resident) for each of its 200 waiters
"""

import tracemalloc


def per_thread() -> tuple[float, float]:
    """The two sleeps let the check look at the process from outside. Leave them in."""
    gate = threading.Event()
    waiters = [threading.Thread(target=wait_in_thread, args=(gate,)) for _ in range(THREADS)]
    time.sleep(HOLD_S)
    before = psutil.Process().memory_info()
    tracemalloc.start()
    for waiter in waiters:
        waiter.start()
    time.sleep(HOLD_S)
    during = psutil.Process().memory_info()
    allocated, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    gate.set()
    for waiter in waiters:
        waiter.join()
    return allocated / 1024 / THREADS, (during.vms - before.vms) / 1024 / THREADS
