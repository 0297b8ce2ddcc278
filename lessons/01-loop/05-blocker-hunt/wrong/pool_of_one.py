"""The calls have a thread to run in, but only one for all.

Breaks: All orders are still shipped at the same time.
Fault: All 4 calls of postage should be open at one moment
"""

from concurrent.futures import ThreadPoolExecutor

pool = ThreadPoolExecutor(1)


async def ship(n: int, office: socket.socket) -> str:
    """Ship one order."""
    await reserve(n)
    label = await asyncio.to_thread(print_label, n)
    cents = await asyncio.get_running_loop().run_in_executor(pool, postage, n, office)
    return f"{label}, {cents} cents, sealed {seal(label)}"
