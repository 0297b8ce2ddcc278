"""Holds up a payment at its first stop, then one at its second, ...: each draws new stops.

Breaks: every time,
Fault: Its test should fail each time
"""

from collections.abc import Iterator


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
