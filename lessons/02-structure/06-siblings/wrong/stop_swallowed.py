"""A part that was stopped discards itself, and then ends as if it had been sent.

Breaks: A part that is stopped ends as cancelled.
Fault: send(3) was stopped, but it ended as if its part had been sent
"""


async def send(n: int) -> None:
    """Send one part. If it is stopped half-way, nothing of it stays on the server."""
    try:
        await transfer(n)
    except asyncio.CancelledError:
        await discard(n)
