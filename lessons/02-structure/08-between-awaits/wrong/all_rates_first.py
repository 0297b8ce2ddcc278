"""No payment is loaded before the bank has answered all questions.

Breaks: While one payment does that, the others go on asking the bank and sending receipts.
Fault: ms later. Nothing but the load
"""


async def pay_in(n: int, worth: int) -> None:
    """Add payment n to the balance, and send a receipt."""
    balance = await load(n)
    await save(n, balance + worth)


async def main() -> int:
    """Handle all payments at the same time; return the balance."""
    rates = await asyncio.gather(*(ask_rate(n) for n in range(1, PAYMENTS + 1)))
    receipts = []
    for n, worth in enumerate(rates, 1):
        await pay_in(n, worth)
        receipts.append(asyncio.create_task(send_receipt(n)))
    await asyncio.gather(*receipts)
    return store["balance"]
