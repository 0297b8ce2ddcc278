"""A pool of the right size, but of threads, which compute one at a time.

Breaks: Let processes do the counting:
Fault: primes_below was called in a thread of the event loop's own process
"""

from concurrent.futures import ThreadPoolExecutor


async def answer(n: int, pool: ThreadPoolExecutor) -> int:
    """Answer one request: each has a different limit."""
    return await asyncio.get_running_loop().run_in_executor(pool, primes_below, LIMIT // n)


async def main(pool: ThreadPoolExecutor) -> list[int]:
    """Answer all requests at the same time; return the answers in order."""
    beating = asyncio.create_task(heart())
    async with asyncio.TaskGroup() as group:
        answers = [group.create_task(answer(n, pool)) for n in range(1, REQUESTS + 1)]
    beating.cancel()
    return [task.result() for task in answers]


if __name__ == "__main__":
    with ThreadPoolExecutor(WORKERS) as pool:
        print(asyncio.run(main(pool)))
