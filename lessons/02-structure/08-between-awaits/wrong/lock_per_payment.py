"""Each payment makes its own lock, for which nobody else ever asks.

Breaks: no money is lost
Fault: No payment may load the balance before the previous one has saved it
"""


async def pay_in(n: int) -> None:
    """Add payment n to the balance, and send a receipt."""
    lock = asyncio.Lock()
    worth = await ask_rate(n)
    async with lock:
        balance = await load(n)
        await save(n, balance + worth)
    await send_receipt(n)


async def main() -> int:
    """All payments at the same time; the balance in the end."""
    async with asyncio.TaskGroup() as group:
        for n in range(1, PAYMENTS + 1):
            group.create_task(pay_in(n))
    return store["balance"]
