"""send_album says by a flag what it should say by an error.

Breaks: with an error.
Fault: send_album() should raise; it returned
"""

ok = [True]


async def send_album() -> None:
    """Send all parts at the same time. When this ends, nothing that it started is still running."""
    try:
        async with asyncio.TaskGroup() as group:
            for n in range(1, PARTS + 1):
                group.create_task(send(n))
    except* RefusedError:
        ok[0] = False


async def main() -> str:
    """Send the album, rest like a server that waits for the next one, and return the outcome."""
    await send_album()
    outcome = "sent" if ok[0] else "refused"
    await asyncio.sleep(REST_S)
    return f"album {outcome}"
