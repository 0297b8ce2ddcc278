"""The goods are not taken off the shelf any more.

Breaks: Each order still calls each of the four functions once,
Fault: There should be 4 calls of reserve; there were none
"""


async def ship(n: int, office: socket.socket) -> str:
    """Ship one order."""
    label = await asyncio.to_thread(print_label, n)
    cents = await asyncio.to_thread(postage, n, office)
    return f"{label}, {cents} cents, sealed {seal(label)}"
