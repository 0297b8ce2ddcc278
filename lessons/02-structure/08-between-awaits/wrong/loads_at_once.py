"""load and save have been edited; they take no time, so nothing comes between.

Breaks: Leave this function as it is.
Fault: load or save isn't what it was
"""


async def load(n: int) -> int:
    """Load the balance, for payment n. Leave this function as it is."""
    return store["balance"]


async def save(n: int, balance: int) -> None:
    """Save the balance, for payment n. Leave this function as it is."""
    store["balance"] = balance


async def pay_in(n: int, lock: asyncio.Lock) -> None:
    """Add payment n to the balance, and send a receipt."""
    worth = await ask_rate(n)
    balance = await load(n)
    await save(n, balance + worth)
    await send_receipt(n)
