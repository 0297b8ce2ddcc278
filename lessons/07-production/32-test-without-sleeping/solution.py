"""There are many ways to add a payment to a balance, and some get it wrong when two payments are made at the
same time. The test is there to find those. It sleeps, so it finds them now and then.

Fix it: test raises an AssertionError for each way that can get the balance wrong, every time, and for no
other. There is always a place, before or after some call of the store, where one payment can be held up, so
that the balance is wrong if a second one goes on meanwhile, as far as it can. That need not be the first
place. test only raises if a balance is wrong. It waits for no time to pass. When it ends, so have its payments.

Run it alone with:  python 32-test-without-sleeping.py
"""

import asyncio
import itertools
import random
from collections.abc import Awaitable, Callable

TIMES = 3
GAP_S = 0.1
SLOWEST_S = 0.1
SEED = 0

chance = random.Random(SEED)
numbers = itertools.count(1)


def write(store: int, balance: int) -> int:
    """Write down the balance of a store, with its number. Leave this function as it is."""
    return balance


class Store:
    """Keeps a balance. Each call awaits hook before it does something and after that. Leave it as it is."""

    def __init__(self, balance: int, hook: Callable[[], Awaitable[object]]) -> None:
        self.hook, self.number = hook, next(numbers)
        self.balance = write(self.number, balance)

    async def load(self) -> int:
        await self.hook()
        balance = self.balance
        await self.hook()
        return balance

    async def save(self, balance: int) -> None:
        await self.hook()
        self.balance = write(self.number, balance)
        await self.hook()

    async def add(self, amount: int) -> None:
        await self.hook()
        self.balance = write(self.number, self.balance + amount)
        await self.hook()

    async def swap(self, old: int, new: int) -> bool:
        """Save the new balance if it still is the old one; say whether it was."""
        await self.hook()
        same = self.balance == old
        if same:
            self.balance = write(self.number, new)
        await self.hook()
        return same


async def load_and_save(store: Store, amount: int) -> None:
    await store.save(await store.load() + amount)


async def look_twice(store: Store, amount: int) -> None:
    while (balance := await store.load()) != await store.load():
        pass
    await store.save(balance + amount)


async def save_and_look(store: Store, amount: int) -> None:
    balance = None
    while balance is None or balance != await store.load():
        balance = await store.load() + amount
        await store.save(balance)


async def swap_late(store: Store, amount: int) -> None:
    balance = await store.load()
    while not await store.swap(await store.load(), balance + amount):
        pass


async def swap(store: Store, amount: int) -> None:
    while not await store.swap(balance := await store.load(), balance + amount):
        pass


async def add(store: Store, amount: int) -> None:
    await store.add(amount)


PayIn = Callable[[Store, int], Awaitable[None]]
STEPS = [load_and_save, look_twice, save_and_look, swap_late, swap, add]
ways = list(itertools.product(STEPS, (True, False)))
random.Random(SEED).shuffle(ways)


def way(n: int) -> PayIn:
    """Way n to pay in: with one lock for all payments, or with one for each. Leave this function as it is."""
    steps, shared = ways[n - 1]
    lock = asyncio.Lock()

    async def pay_in(store: Store, amount: int) -> None:
        for _ in range(chance.randint(0, 3)):
            await asyncio.sleep(0)
        async with lock if shared else asyncio.Lock():
            await steps(store, amount)

    return pay_in


async def settle() -> None:
    """Let all tasks go on as far as they can without waiting for anything. Leave this function as it is."""
    for _ in range(20):
        await asyncio.sleep(0)


async def test(pay_in: PayIn) -> None:
    """Raise an AssertionError if two payments made at the same time can get the balance wrong."""
    for place in range(1, 9):
        go_on, places = asyncio.Event(), itertools.count(1)

        async def hook() -> None:
            if next(places) == place:
                await go_on.wait()

        store = Store(100, hook)
        async with asyncio.TaskGroup() as group:
            group.create_task(pay_in(store, 10))
            await settle()
            group.create_task(pay_in(store, 20))
            await settle()
            go_on.set()
        assert store.balance == 130


async def judge(n: int) -> int:
    """Count how many of TIMES tests of way n fail. Leave this function as it is."""
    pay_in, failed = way(n), 0
    for _ in range(TIMES):
        try:
            await test(pay_in)
        except AssertionError:
            failed += 1
    return failed


async def main() -> list[int]:
    """Test all ways; return how often the tests of each failed."""
    return [await judge(n) for n in range(1, len(ways) + 1)]


if __name__ == "__main__":
    for (steps, shared), failed in zip(ways, asyncio.run(main()), strict=True):
        print(f"{steps.__name__}, {'one lock for all' if shared else 'a lock for each'}: {failed} of {TIMES} failed")
