"""Right: each test goes on with the account of the one before, and begins others from a queue."""

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


async def nothing() -> None:
    """Go on without a stop."""


async def test(way: int) -> None:
    """Raise an AssertionError if two payments at the same time can get a balance wrong."""
    before, others = balances[way], 0
    stops: asyncio.Queue[asyncio.Future[None]] = asyncio.Queue()

    async def stop() -> None:
        held: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        stops.put_nowait(held)
        await held

    first = asyncio.create_task(pay_in(way, way, 1, stop))
    tasks = {first}
    while not first.done():
        if not stops.empty():
            tasks.add(asyncio.create_task(pay_in(way, way, 1, nothing)))
            others += 1
            for _ in range(30):
                await asyncio.sleep(0)
            stops.get_nowait().set_result(None)
        await asyncio.sleep(0)
    await asyncio.wait(tasks)
    assert balances[way] - before == 1 + others, f"way {way}: {1 + others} payments, {balances[way]} paid in"


async def main() -> None:
    """Test each way TIMES times. Leave this function as it is."""
    for way in sorted(TIMES * list(range(1, len(ways) + 1))):
        try:
            await test(way)
        except AssertionError as error:
            print(error)


if __name__ == "__main__":
    asyncio.run(main())
