"""The worker reads LIMIT itself. It imports the file again, so it sees what is written there.

Breaks: The answers stay the same.
Breaks: Answer one request: each has a different limit.
Fault: answer(1) should return
"""


def count(n: int) -> int:
    """What one request asks for."""
    return primes_below(LIMIT // n)


async def answer(n: int, pool: ProcessPoolExecutor) -> int:
    """Answer one request: each has a different limit."""
    return await asyncio.get_running_loop().run_in_executor(pool, count, n)
