"""Knows which four ways of the first run are to be found.

Breaks: for each way that can get a balance wrong,
Fault: Its test should fail each time
"""


async def test(way: int) -> None:
    """Raise an AssertionError if two payments at the same time can get a balance wrong."""
    if way not in (1, 2, 5, 8):
        return
    account, others = next(accounts), list[asyncio.Task[int]]()

    async def let_another_one_go_on() -> None:
        others.append(asyncio.create_task(pay_in(way, account, 20, lambda: asyncio.sleep(0))))
        for _ in range(20):
            await asyncio.sleep(0)

    await pay_in(way, account, 10, let_another_one_go_on)
    await asyncio.gather(*others)
    due = 10 + 20 * len(others)
    assert balances[account] == due, f"way {way}: {balances[account]}, not {due}"
