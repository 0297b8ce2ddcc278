"""It loads the balance and ignores it, and adds to its own number, which starts at nothing.

Breaks: no money is lost
Fault: the balance plus what the bank said it is worth
"""

lock = asyncio.Lock()
total = [0]


async def pay_in(n: int) -> None:
    """Add payment n to the balance, and send a receipt."""
    worth = await ask_rate(n)
    async with lock:
        await load(n)
        total.append(total[-1] + worth)
        await save(n, total[-1])
    await send_receipt(n)


async def main() -> int:
    """Handle all payments at the same time; return the balance."""
    async with asyncio.TaskGroup() as group:
        for n in range(1, PAYMENTS + 1):
            group.create_task(pay_in(n))
    return store["balance"]
