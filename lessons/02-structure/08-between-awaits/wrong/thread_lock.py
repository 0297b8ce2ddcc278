"""Wrong: a lock for threads. A task that asks for it stops the thread in which its holder would go on."""

import asyncio
import random
import threading

PAYMENTS = 4
RATE_S = 0.3
STEP_S = 0.01
RECEIPT_S = 0.6
BALANCE = 100
SEED = 0

bank, disk = random.Random(SEED), random.Random(SEED)
store = {"balance": BALANCE, "due": BALANCE}


async def ask_rate(n: int) -> int:
    """Ask the bank what payment n is worth. Leave this function as it is."""
    worth = bank.randint(1, 100)
    store["due"] += worth
    await asyncio.sleep(RATE_S + n * STEP_S)
    return worth


async def load(n: int) -> int:
    """Load the balance, for payment n. Leave this function as it is."""
    await asyncio.sleep(disk.randint(20, 80) / 1000)
    return store["balance"]


async def save(n: int, balance: int) -> None:
    """Save the balance, for payment n. Leave this function as it is."""
    await asyncio.sleep(disk.randint(20, 80) / 1000)
    store["balance"] = balance


async def send_receipt(n: int) -> None:
    """Send the receipt for payment n by mail. Leave this function as it is."""
    await asyncio.sleep(RECEIPT_S)


async def pay_in(n: int, lock: threading.Lock) -> None:
    """Add payment n to the balance, and send a receipt."""
    worth = await ask_rate(n)
    with lock:
        balance = await load(n)
        await save(n, balance + worth)
    await send_receipt(n)


async def main() -> int:
    """All payments at the same time; the balance in the end."""
    lock = threading.Lock()
    async with asyncio.TaskGroup() as group:
        for n in range(1, PAYMENTS + 1):
            group.create_task(pay_in(n, lock))
    return store["balance"]


if __name__ == "__main__":
    print("balance:", asyncio.run(main()), "due:", store["due"])
