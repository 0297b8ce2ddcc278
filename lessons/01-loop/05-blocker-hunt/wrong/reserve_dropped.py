"""Nothing waits until the goods are reserved.

Breaks: one after the other,
Fault: Each order should call reserve, print_label, postage and seal, one after the other;
print_label(1) started before reserve(1) was done
"""


async def ship(n: int, office: socket.socket) -> str:
    """Ship one order."""
    asyncio.create_task(reserve(n))
    label = await asyncio.to_thread(print_label, n)
    cents = await asyncio.to_thread(postage, n, office)
    return f"{label}, {cents} cents, sealed {seal(label)}"
