"""No receipt is sent before all payments are saved.

Breaks: A receipt is sent as soon as its payment is saved.
Fault: after that
"""

lock = asyncio.Lock()


async def pay_in(n: int) -> None:
    """Add payment n to the balance, and send a receipt."""
    worth = await ask_rate(n)
    async with lock:
        balance = await load(n)
        await save(n, balance + worth)


async def main() -> int:
    """Handle all payments at the same time; return the balance."""
    await asyncio.gather(*(pay_in(n) for n in range(1, PAYMENTS + 1)))
    await asyncio.gather(*(send_receipt(n) for n in range(1, PAYMENTS + 1)))
    return store["balance"]
