"""Six tests of code with a race: how many of them fail?

Predict how many tests fail before you run it:  python short_sleep.py
"""

import asyncio
import random
from collections.abc import Awaitable, Callable

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
    """Let the second payment begin while the first one waits for the bank."""
    account["balance"] = 0
    chance = random.Random(SEED + n)

    async def bank() -> None:
        await asyncio.sleep(chance.randint(1, 3) * BANK_S)

    async with asyncio.TaskGroup() as group:
        group.create_task(pay_in(10, bank))
        await asyncio.sleep(SHORT_S)
        group.create_task(pay_in(20, bank))
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
