"""The other parts are stopped, but what the server has of them stays there.

Breaks: discard is called, once, for each part that was stopped,
Fault: Each part that is stopped should be discarded; part 3 was not
"""


async def send(n: int) -> None:
    """Send one part. If it is stopped half-way, nothing of it stays on the server."""
    await transfer(n)
