"""The event loop is free because nobody asks the post office any more.

Breaks: Each order still calls each of the four functions once,
Fault: There should be 4 calls of postage; there were none
"""


async def ship(n: int, office: socket.socket) -> str:
    """Ship one order."""
    await reserve(n)
    label = await asyncio.to_thread(print_label, n)
    cents = prices.randint(300, 900)
    return f"{label}, {cents} cents, sealed {seal(label)}"
