"""It adds to the balance past load and save. In a real store that is not possible.

Breaks: Fix it: each payment loads the balance once and saves it once
Fault: There should be 4 calls of load; there were none
"""


async def pay_in(n: int) -> None:
    """Add payment n to the balance, and send a receipt."""
    worth = await ask_rate(n)
    store["balance"] += worth
    await send_receipt(n)


async def main() -> int:
    """All payments at the same time; the balance in the end."""
    async with asyncio.TaskGroup() as group:
        for n in range(1, PAYMENTS + 1):
            group.create_task(pay_in(n))
    return store["balance"]
