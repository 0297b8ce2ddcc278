"""The postage is asked for before there is a label.

Breaks: one after the other,
Fault: Each order should call reserve, print_label, postage and seal, one after the other;
"""


async def ship(n: int, office: socket.socket) -> str:
    """Ship one order."""
    cents = await asyncio.to_thread(postage, n, office)
    await reserve(n)
    label = await asyncio.to_thread(print_label, n)
    return f"{label}, {cents} cents, sealed {seal(label)}"
