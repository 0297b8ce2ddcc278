"""Payments come in and are added to the balance of one account. They are worked on all at once, as they
should be, for the bank and the mail are slow. But most of the money never arrives on the balance.

Mend it: each payment loads the balance and saves it, as now, and nothing gets lost. While one of them does
that, the others go on asking the bank and sending receipts. A receipt is sent when its payment is saved.

Run it alone with:  python exercise.py
"""

import asyncio

PAYMENTS = 4
RATE_S = 0.3
STEP_S = 0.01
LOAD_S = 0.04
SAVE_S = 0.06
RECEIPT_S = 0.6

store = {"balance": 0}


async def ask_rate(n: int) -> int:
    """Ask the bank what payment n is worth: n. The answers come one by one. Leave this function as it is."""
    await asyncio.sleep(RATE_S + n * STEP_S)
    return n


async def load(n: int) -> int:
    """Load the balance, for payment n. Leave this function as it is."""
    await asyncio.sleep(LOAD_S)
    return store["balance"]


async def save(n: int, balance: int) -> None:
    """Save the balance, for payment n. Leave this function as it is."""
    await asyncio.sleep(SAVE_S)
    store["balance"] = balance


async def send_receipt(n: int) -> None:
    """Send the receipt for payment n by mail. Leave this function as it is."""
    await asyncio.sleep(RECEIPT_S)


async def pay_in(n: int) -> None:
    """Add payment n to the balance, and send a receipt."""
    # TODO: from where to where must no other payment come between?
    worth = await ask_rate(n)
    balance = await load(n)
    await save(n, balance + worth)
    await send_receipt(n)


async def main() -> int:
    """All payments at once; the balance in the end."""
    # TODO: what must all payments have in common?
    async with asyncio.TaskGroup() as group:
        for n in range(1, PAYMENTS + 1):
            group.create_task(pay_in(n))
    return store["balance"]


if __name__ == "__main__":
    print("balance:", asyncio.run(main()), "of", sum(range(1, PAYMENTS + 1)))
