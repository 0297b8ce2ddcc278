"""The culprit is named, but it still holds the event loop.

Breaks: call it in a way that leaves the event loop free.
Fault: No step may hold the event loop longer than 50 ms
"""


async def ship(n: int, office: socket.socket) -> str:
    """Ship one order."""
    await reserve(n)
    label = await asyncio.to_thread(print_label, n)
    cents = postage(n, office)
    return f"{label}, {cents} cents, sealed {seal(label)}"
