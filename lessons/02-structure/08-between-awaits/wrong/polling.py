"""Payments that wait look again every 50 ms, so the store is idle for a while after each one.

Breaks: When one has saved, the next one that is waiting loads immediately.
Fault: ms later. Nothing but the load
"""

at_work: set[int] = set()


async def pay_in(n: int) -> None:
    """Add payment n to the balance, and send a receipt."""
    worth = await ask_rate(n)
    while at_work:
        await asyncio.sleep(0.05)
    at_work.add(n)
    balance = await load(n)
    await save(n, balance + worth)
    at_work.remove(n)
    await send_receipt(n)


async def main() -> int:
    """Handle all payments at the same time; return the balance."""
    async with asyncio.TaskGroup() as group:
        for n in range(1, PAYMENTS + 1):
            group.create_task(pay_in(n))
    return store["balance"]
