"""The answers are worked out here, and nobody asks the server for them.

Breaks: and with the same.
Fault: no attempt of it was answered
"""


async def request(n: int) -> str:
    """Ask until there is an answer, another error, or no time left."""
    async with asyncio.timeout(DEADLINE_S):
        async with turns:
            await asyncio.sleep(1 / RATE)
        if n == SILENT:
            await attempt(n)
        if n == UNKNOWN:
            raise LookupError
        return f"answer {n}: {random.Random(SEED + n).randint(100, 999)}"
