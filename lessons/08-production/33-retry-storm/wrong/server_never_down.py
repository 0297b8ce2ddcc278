"""The server is up from the start.

Breaks: Leave this function as it is.
Fault: Leave attempt as it is
"""


async def attempt(n: int) -> str:
    """Ask the server once. It never answers to request SILENT. Leave this function as it is."""
    await asyncio.sleep(3600 if n == SILENT else TRIP_S)
    if n == UNKNOWN:
        raise LookupError(f"nothing is known of {n}")
    return f"answer {n}: {random.Random(SEED + n).randint(100, 999)}"
