"""Sleeps longer, so that the second payment comes when the first one is done.

Breaks: every time,
Fault: Its test should fail each time
"""


async def test(way: int) -> None:
    """Raise an AssertionError if two payments at the same time can get a balance wrong."""
    account = next(accounts)
    async with asyncio.TaskGroup() as group:
        group.create_task(pay_in(way, account, 10, lambda: asyncio.sleep(chance.random() * STOP_S)))
        await asyncio.sleep(10 * GAP_S)
        group.create_task(pay_in(way, account, 20, lambda: asyncio.sleep(chance.random() * STOP_S)))
    assert balances[account] == 30, f"way {way}: {balances[account]}, not 30"
