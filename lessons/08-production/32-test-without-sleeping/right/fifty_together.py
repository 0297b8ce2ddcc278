"""Right: fifty payments go on together, so they meet in many orders at the same time."""

import asyncio
import itertools
import random
from collections import defaultdict
from collections.abc import Awaitable, Callable
from contextlib import nullcontext

TIMES = 4
GAP_S = 0.02
STOP_S = 0.02
SEED = 0

chance, accounts = random.Random(SEED), itertools.count(1)
ways = list(itertools.product(("all of it", "the writing", "nothing"), (0, 1, 3)))
chance.shuffle(ways)
balances: dict[int, int] = defaultdict(int)
locks: dict[int, asyncio.Lock] = defaultdict(asyncio.Lock)


async def pay_in(way: int, account: int, amount: int, stop: Callable[[], Awaitable[object]]) -> int:
    """Add an amount to the balance of an account; return what it wrote. Leave this function as it is."""
    locked, most = ways[way - 1]
    async with locks[account] if locked == "all of it" else nullcontext():
        for _ in range(chance.randint(1, 4)):
            await asyncio.sleep(0)
            await stop()
        balance = balances[account] + amount
        async with locks[account] if locked == "the writing" else nullcontext():
            for _ in range(chance.randint(min(1, most), most)):
                await stop()
            balances[account] = balance
    return balance


async def test(way: int) -> None:
    """Raise an AssertionError if two payments at the same time can get a balance wrong."""
    account = next(accounts)
    await asyncio.gather(*(pay_in(way, account, 1, lambda: asyncio.sleep(0)) for _ in range(50)))
    assert balances[account] == 50, f"way {way}: {balances[account]}, not 50"


async def main() -> None:
    """Test each way TIMES times. Leave this function as it is."""
    for way in sorted(TIMES * list(range(1, len(ways) + 1))):
        try:
            await test(way)
        except AssertionError as error:
            print(error)


if __name__ == "__main__":
    asyncio.run(main())
