"""It asks the bank and ignores the answer.

Breaks: no money is lost
Fault: the balance plus what the bank said it is worth
"""

lock = asyncio.Lock()


async def pay_in(n: int) -> None:
    """Add payment n to the balance, and send a receipt."""
    await ask_rate(n)
    async with lock:
        balance = await load(n)
        await save(n, balance + n)
    await send_receipt(n)


async def main() -> int:
    """Handle all payments at the same time; return the balance."""
    async with asyncio.TaskGroup() as group:
        for n in range(1, PAYMENTS + 1):
            group.create_task(pay_in(n))
    return store["balance"]
