"""The lock is given back only when the receipt has been sent, which does not touch the balance.

Breaks: While one payment does that, the others go on asking the bank and sending receipts.
Fault: ms later. Nothing but the load and the save of another payment may delay it
"""


async def pay_in(n: int, lock: asyncio.Lock) -> None:
    """Add payment n to the balance, and send a receipt."""
    worth = await ask_rate(n)
    async with lock:
        balance = await load(n)
        await save(n, balance + worth)
        await send_receipt(n)
