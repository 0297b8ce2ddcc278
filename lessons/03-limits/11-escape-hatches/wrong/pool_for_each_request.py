"""Every request makes its own pool, which bounds nothing and starts processes each time.

Breaks: all requests share one ProcessPoolExecutor
Fault: All requests should share one pool; 6 were made
"""


async def answer(n: int) -> int:
    """Answer one request: each has a different limit."""
    with ProcessPoolExecutor(WORKERS, mp_context=get_context("spawn")) as pool:
        return await asyncio.get_running_loop().run_in_executor(pool, primes_below, LIMIT // n)


async def main() -> list[int]:
    """Answer all requests at the same time; return the answers in order."""
    beating = asyncio.create_task(heart())
    async with asyncio.TaskGroup() as group:
        answers = [group.create_task(answer(n)) for n in range(1, REQUESTS + 1)]
    beating.cancel()
    return [task.result() for task in answers]


if __name__ == "__main__":
    print(asyncio.run(main()))
