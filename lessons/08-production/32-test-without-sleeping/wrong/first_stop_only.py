"""Lets another payment go on at the first stop, and at no other.

Breaks: for each way that can get a balance wrong,
Fault: Its test should fail each time
"""


async def test(way: int) -> None:
    """Raise an AssertionError if two payments at the same time can get a balance wrong."""
    account = next(accounts)
    at_stop, go_on = asyncio.Event(), asyncio.Event()

    async def stop() -> None:
        at_stop.set()
        await go_on.wait()

    async with asyncio.TaskGroup() as group:
        group.create_task(pay_in(way, account, 10, stop))
        await at_stop.wait()
        group.create_task(pay_in(way, account, 20, lambda: asyncio.sleep(0)))
        for _ in range(20):
            await asyncio.sleep(0)
        go_on.set()
    assert balances[account] == 30, f"way {way}: {balances[account]}, not 30"
