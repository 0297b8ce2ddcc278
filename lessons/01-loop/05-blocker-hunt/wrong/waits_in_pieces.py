"""postage has its own thread, and the event loop waits for that, 20 ms at a time.

Breaks: call it in a way that leaves the event loop free.
Fault: in many short steps, they held it for
"""

import threading


async def ship(n: int, office: socket.socket) -> str:
    """Ship one order."""
    await reserve(n)
    label = await asyncio.to_thread(print_label, n)
    answer: list[int] = []
    line = threading.Thread(target=lambda: answer.append(postage(n, office)))
    line.start()
    while line.is_alive():
        line.join(0.02)
        await asyncio.sleep(0)
    cents = answer[0]
    return f"{label}, {cents} cents, sealed {seal(label)}"
