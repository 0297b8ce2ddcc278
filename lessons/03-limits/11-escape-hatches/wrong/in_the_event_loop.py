"""The event loop does the counting itself, so the heart stops.

Breaks: Let processes do the counting:
Fault: primes_below was called in the event loop itself
"""


async def answer(n: int) -> int:
    """Answer one request: each has a different limit."""
    return primes_below(LIMIT // n)


async def main() -> list[int]:
    """Answer all requests at the same time; return the answers in order."""
    beating = asyncio.create_task(heart())
    async with asyncio.TaskGroup() as group:
        answers = [group.create_task(answer(n)) for n in range(1, REQUESTS + 1)]
    beating.cancel()
    return [task.result() for task in answers]


if __name__ == "__main__":
    print(asyncio.run(main()))
