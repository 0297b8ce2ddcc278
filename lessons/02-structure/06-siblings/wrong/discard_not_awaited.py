"""The discarding is started, but send does not wait for it.

Breaks: When all of that is done, and not before, send_album ends
Fault: No call of discard may outlive send_album()
"""

discarding: list[asyncio.Task[None]] = []


async def send(n: int) -> None:
    """Send one part. If it is stopped half-way, nothing of it stays on the server."""
    try:
        await transfer(n)
    except asyncio.CancelledError:
        discarding.append(asyncio.create_task(discard(n)))
        raise
