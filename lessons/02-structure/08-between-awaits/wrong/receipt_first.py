"""The receipt is sent for a payment that is not saved yet.

Breaks: A receipt is sent as soon as its payment is saved.
Fault: A receipt should be sent as soon as its payment is saved; send_receipt(1) started
"""


async def pay_in(n: int, lock: asyncio.Lock) -> None:
    """Add payment n to the balance, and send a receipt."""
    await send_receipt(n)
    worth = await ask_rate(n)
    async with lock:
        balance = await load(n)
        await save(n, balance + worth)
