"""Loading is guarded and saving is guarded, but between the two the lock is given back.

Breaks: no money is lost
Fault: No payment may load the balance before the previous one has saved it
"""


async def pay_in(n: int, lock: asyncio.Lock) -> None:
    """Add payment n to the balance, and send a receipt."""
    worth = await ask_rate(n)
    async with lock:
        balance = await load(n)
    async with lock:
        await save(n, balance + worth)
    await send_receipt(n)
