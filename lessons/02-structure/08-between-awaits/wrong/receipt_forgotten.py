"""The receipt is sent by a task that nothing waits for.

Breaks: A receipt is sent as soon as its payment is saved.
Fault: send_receipt(1) should return; it was cancelled
"""


async def pay_in(n: int, lock: asyncio.Lock) -> None:
    """Add payment n to the balance, and send a receipt."""
    worth = await ask_rate(n)
    async with lock:
        balance = await load(n)
        await save(n, balance + worth)
    asyncio.create_task(send_receipt(n))
