"""Six tests of code with a race: how many of them fail?

Predict how many tests fail before you run it:  python every_order.py
"""

import asyncio
from collections.abc import Awaitable, Callable
from itertools import permutations

TESTS = 6
SHORT_S = 0.15
LONG_S = 0.4
BANK_S = 0.1
SEED = 17

account = {"balance": 0}


async def pay_in(amount: int, ask_bank: Callable[[], Awaitable[object]]) -> None:
    """Add an amount to the balance, when the bank has answered."""
    seen = account["balance"]
    await ask_bank()
    account["balance"] = seen + amount


async def test(n: int) -> None:
    """Let the payments take turns in order n: each begins at its first turn and goes on at its second."""
    account["balance"] = 0
    orders = sorted(set(permutations([10, 10, 20, 20])))

    answers: dict[int, asyncio.Event] = {}

    async with asyncio.TaskGroup() as group:
        for amount in orders[(n - 1) % len(orders)]:
            if amount in answers:
                answers[amount].set()
            else:
                answers[amount] = asyncio.Event()
                group.create_task(pay_in(amount, answers[amount].wait))
            await asyncio.sleep(0)
    assert account["balance"] == 30, f"test {n}: {account['balance']}, not 30"


async def main() -> None:
    failed = 0
    for n in range(1, TESTS + 1):
        try:
            await test(n)
        except AssertionError:
            failed += 1
    print(f"{TESTS} tests, {failed} failed")


if __name__ == "__main__":
    asyncio.run(main())
