"""A lock lets one request at a time reach the pool.

Breaks: all workers are in use.
Fault: of the pool should be in use at the same time
"""

turn = asyncio.Lock()


async def answer(n: int, pool: ProcessPoolExecutor) -> int:
    """Answer one request: each has a different limit."""
    async with turn:
        return await asyncio.get_running_loop().run_in_executor(pool, primes_below, LIMIT // n)
