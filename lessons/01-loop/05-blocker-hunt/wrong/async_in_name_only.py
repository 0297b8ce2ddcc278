"""postage is now declared `async def` and awaited, but what it does inside blocks as before.

Breaks: call it in a way that leaves the event loop free.
Fault: No step may hold the event loop longer than 50 ms
"""


async def postage(n: int, office: socket.socket) -> int:
    """What the post office wants, in cents. If it says nothing, as it has for years: the list price."""
    with socket.create_connection(office.getsockname()) as line:
        line.settimeout(SILENCE_S)
        try:
            return int(line.recv(16))
        except TimeoutError:
            return prices.randint(300, 900)


async def ship(n: int, office: socket.socket) -> str:
    """Ship one order."""
    await reserve(n)
    label = await asyncio.to_thread(print_label, n)
    cents = await postage(n, office)
    return f"{label}, {cents} cents, sealed {seal(label)}"
