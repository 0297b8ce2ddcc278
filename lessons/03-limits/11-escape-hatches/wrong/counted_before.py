"""All is counted before the event loop runs, under another name. The pool gets trifles.

Breaks: Let processes do the counting:
Fault: The pool should do the counting
"""


def count(limit: int) -> int:
    """The same, and nobody knows its name."""
    return sum(all(n % d for d in range(2, isqrt(n) + 1)) for n in range(2, limit))


known: dict[int, int] = {}


async def answer(n: int, pool: ProcessPoolExecutor) -> int:
    """Answer one request: each has a different limit."""
    await asyncio.get_running_loop().run_in_executor(pool, int, n)
    return known[n]


if __name__ == "__main__":
    known |= {n: count(LIMIT // n) for n in range(1, REQUESTS + 1)}
    with ProcessPoolExecutor(WORKERS, mp_context=get_context("spawn")) as pool:
        print(asyncio.run(main(pool)))
