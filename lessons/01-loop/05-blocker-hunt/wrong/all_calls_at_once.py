"""The calls of an order run at the same time.

Breaks: one after the other,
Fault: Each order should call reserve, print_label, postage and seal, one after the other;
print_label(1) started before reserve(1) was done
"""


async def ship(n: int, office: socket.socket) -> str:
    """Ship one order."""
    _, label, cents = await asyncio.gather(
        reserve(n), asyncio.to_thread(print_label, n), asyncio.to_thread(postage, n, office)
    )
    return f"{label}, {cents} cents, sealed {seal(label)}"
