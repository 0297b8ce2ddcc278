"""It seals a label that is not printed yet.

Breaks: one after the other,
Fault: Each order should call reserve, print_label, postage and seal, one after the other;
"""


async def ship(n: int, office: socket.socket) -> str:
    """Ship one order."""
    stamp = seal(f"parcel {n}")
    await reserve(n)
    label = await asyncio.to_thread(print_label, n)
    cents = await asyncio.to_thread(postage, n, office)
    return f"{label}, {cents} cents, sealed {stamp}"
