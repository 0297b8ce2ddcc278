"""The event loop counts in small pieces, under another name. The pool gets trifles.

Breaks: each request gives it one piece of work.
Fault: The pool should do the counting
"""


async def count(limit: int) -> int:
    """The same, with a break after each hundred numbers."""
    primes = 0
    for first in range(2, limit, 100):
        numbers = range(first, min(first + 100, limit))
        primes += sum(all(n % d for d in range(2, isqrt(n) + 1)) for n in numbers)
        await asyncio.sleep(0)
    return primes


async def answer(n: int, pool: ProcessPoolExecutor) -> int:
    """Answer one request: each has a different limit."""
    await asyncio.get_running_loop().run_in_executor(pool, int, n)
    return await count(LIMIT // n)
