"""Processes compute, but the event loop's own thread waits for each result.

Breaks: The event loop goes on while the workers compute,
Fault: The event loop should go on while the workers compute; it waited at line
"""


async def answer(n: int, pool: ProcessPoolExecutor) -> int:
    """Answer one request: each has a different limit."""
    return pool.submit(primes_below, LIMIT // n).result()
