"""The pool is given a trifle for each request; a thread counts, under another name.

Breaks: each request gives it one piece of work.
Fault: The pool should do the counting
"""


def count(limit: int) -> int:
    """The same, and nobody knows its name."""
    return sum(all(n % d for d in range(2, isqrt(n) + 1)) for n in range(2, limit))


async def answer(n: int, pool: ProcessPoolExecutor) -> int:
    """Answer one request: each has a different limit."""
    await asyncio.get_running_loop().run_in_executor(pool, int, n)
    return await asyncio.to_thread(count, LIMIT // n)
