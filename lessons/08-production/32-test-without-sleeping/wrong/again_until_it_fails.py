"""Sleeps, and main repeats the test of each way.

Breaks: Leave this function as it is.
Fault: main should call test
"""


async def test(way: int) -> None:
    """Raise an AssertionError if two payments at the same time can get a balance wrong."""
    account = next(accounts)
    async with asyncio.TaskGroup() as group:
        group.create_task(pay_in(way, account, 10, lambda: asyncio.sleep(chance.random() * STOP_S)))
        await asyncio.sleep(GAP_S)
        group.create_task(pay_in(way, account, 20, lambda: asyncio.sleep(chance.random() * STOP_S)))
    assert balances[account] == 30, f"way {way}: {balances[account]}, not 30"


async def main() -> None:
    """Test each way TIMES times. Leave this function as it is."""
    for way in sorted(20 * TIMES * list(range(1, len(ways) + 1))):
        try:
            await test(way)
        except AssertionError as error:
            print(error)
