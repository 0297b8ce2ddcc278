"""Each payment has its own time slot, long enough for the slowest. There is no lock.

Breaks: When one has saved, the next one that is waiting loads immediately.
Fault: ms later. Nothing but the load
"""


async def pay_in(n: int) -> None:
    """Each payment has its time; nobody asks whether the one before has saved."""
    worth = await ask_rate(n)
    await asyncio.sleep((n - 1) * 0.16)
    balance = await load(n)
    await save(n, balance + worth)
    await send_receipt(n)


async def main() -> int:
    """Handle all payments at the same time; return the balance."""
    async with asyncio.TaskGroup() as group:
        for n in range(1, PAYMENTS + 1):
            group.create_task(pay_in(n))
    return store["balance"]
