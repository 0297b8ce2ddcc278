"""A lock for threads. A task that asks for it stops the thread in which its holder would go on.

Breaks: no money is lost
Fault: It had not finished at its time limit. Deadlock: Task-2 (pay_in) holds lock `lock`
"""

import threading


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
