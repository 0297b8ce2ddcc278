"""The lock is held while the bank and the mail take their time, too, and nothing overlaps any more.

Breaks: They are handled at the same time, as they should be, since the bank and the mail are slow.
Fault: questions to the bank should be open at one moment
"""


async def pay_in(n: int, lock: asyncio.Lock) -> None:
    """Add payment n to the balance, and send a receipt."""
    async with lock:
        worth = await ask_rate(n)
        balance = await load(n)
        await save(n, balance + worth)
        await send_receipt(n)
