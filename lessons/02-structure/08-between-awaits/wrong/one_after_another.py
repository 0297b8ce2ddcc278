"""One payment after the other. The balance is right, but no waits overlap.

Breaks: They are handled at the same time, as they should be, since the bank and the mail are slow.
Fault: questions to the bank should be open at one moment
"""


async def pay_in(n: int) -> None:
    """Add payment n to the balance, and send a receipt."""
    worth = await ask_rate(n)
    balance = await load(n)
    await save(n, balance + worth)
    await send_receipt(n)


async def main() -> int:
    """All payments at the same time; the balance in the end."""
    for n in range(1, PAYMENTS + 1):
        await pay_in(n)
    return store["balance"]
