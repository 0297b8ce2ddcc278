"""main prints the balance, and returns nothing.

Breaks: main returns the balance.
Fault: main() should return
"""

lock = asyncio.Lock()


async def pay_in(n: int) -> None:
    """Add payment n to the balance, and send a receipt."""
    worth = await ask_rate(n)
    async with lock:
        balance = await load(n)
        await save(n, balance + worth)
    await send_receipt(n)


async def main() -> None:
    """Handle all payments at the same time."""
    async with asyncio.TaskGroup() as group:
        for n in range(1, PAYMENTS + 1):
            group.create_task(pay_in(n))
    print(store["balance"])
