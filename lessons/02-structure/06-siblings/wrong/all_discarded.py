"""A part is discarded however it ends, also when it has been sent.

Breaks: never for one that was sent;
Fault: Only stopped parts should be discarded; part 1 had been sent
"""


async def send(n: int) -> None:
    """Send one part. If it is stopped half-way, nothing of it stays on the server."""
    try:
        await transfer(n)
    finally:
        await discard(n)
