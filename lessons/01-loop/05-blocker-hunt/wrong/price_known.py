"""postage is asked, and its answer ignored.

Breaks: ship still returns what they returned.
Fault: main() should return
"""


async def ship(n: int, office: socket.socket) -> str:
    """Ship one order."""
    await reserve(n)
    label = await asyncio.to_thread(print_label, n)
    await asyncio.to_thread(postage, n, office)
    return f"{label}, 490 cents, sealed {seal(label)}"
