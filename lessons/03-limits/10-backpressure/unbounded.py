"""A producer is faster than its two consumers, and there's a queue between them: what waits, and where?

Predict how long the queue gets, and when the producer is done:  python unbounded.py
"""

import asyncio
import time

ITEMS = 30
MAXSIZE = 5
MAKE_S = 0.01
HANDLE_S = 0.1
CONSUMERS = 2
FAIL_AT = 0

Pending = asyncio.Queue[tuple[int, float]]


async def produce(pending: Pending) -> None:
    """Make all items, one every MAKE_S, and put each into the queue with the time at which it was made."""
    for n in range(1, ITEMS + 1):
        await asyncio.sleep(MAKE_S)
        made_s = time.perf_counter()
        await pending.put((n, made_s))


async def consume(who: int, pending: Pending, ages_s: list[float]) -> None:
    """Take items out of the queue forever, and handle each, which takes HANDLE_S."""
    while True:
        n, made_s = await pending.get()
        ages_s.append(time.perf_counter() - made_s)
        await asyncio.sleep(HANDLE_S)
        if n == FAIL_AT:
            raise RuntimeError(f"item {n} cannot be handled")
        pending.task_done()


async def main() -> None:
    pending: Pending = asyncio.Queue()
    ages_s: list[float] = []
    try:
        async with asyncio.TaskGroup() as group:
            consumers = [group.create_task(consume(n + 1, pending, ages_s)) for n in range(CONSUMERS)]
            await produce(pending)
            await pending.join()
            for consumer in consumers:
                consumer.cancel()
    except* RuntimeError as errors:
        print("stopped:", *errors.exceptions)
    print(f"{len(ages_s)} items were taken; the oldest was {1000 * max(ages_s):.0f} ms old by then")


if __name__ == "__main__":
    asyncio.run(main())
