"""Wrong: holds up a payment at its first stop, then one at its second, ...: each draws its stops anew."""

import asyncio
import itertools
import random
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterator
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
    for place in range(1, 8):
        account, places, go_on = next(accounts), itertools.count(1), asyncio.Event()

        async def stop(
            place: int = place, places: Iterator[int] = places, go_on: asyncio.Event = go_on
        ) -> None:
            if next(places) == place:
                await go_on.wait()

        async with asyncio.TaskGroup() as group:
            group.create_task(pay_in(way, account, 10, stop))
            for _ in range(20):
                await asyncio.sleep(0)
            group.create_task(pay_in(way, account, 20, lambda: asyncio.sleep(0)))
            for _ in range(20):
                await asyncio.sleep(0)
            go_on.set()
        assert balances[account] == 30, f"way {way}: {balances[account]}, not 30"


async def main() -> None:
    """Test each way TIMES times. Leave this function as it is."""
    for way in sorted(TIMES * list(range(1, len(ways) + 1))):
        try:
            await test(way)
        except AssertionError as error:
            print(error)


if __name__ == "__main__":
    asyncio.run(main())
