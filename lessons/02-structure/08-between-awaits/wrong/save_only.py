"""The lock is taken when the balance has already been loaded. What was loaded is old by then.

Breaks: no money is lost
Fault: No payment may load the balance before the previous one has saved it
"""


async def pay_in(n: int, lock: asyncio.Lock) -> None:
    """Add payment n to the balance, and send a receipt."""
    worth = await ask_rate(n)
    balance = await load(n)
    async with lock:
        await save(n, balance + worth)
    await send_receipt(n)
