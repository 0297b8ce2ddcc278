"""The lock is held while the bank is asked.

Breaks: While one payment does that, the others go on asking the bank and sending receipts.
Fault: questions to the bank should be open at one moment
"""


async def pay_in(n: int, lock: asyncio.Lock) -> None:
    """Add payment n to the balance, and send a receipt."""
    async with lock:
        worth = await ask_rate(n)
        balance = await load(n)
        await save(n, balance + worth)
    await send_receipt(n)
