"""Gives the other payment a time limit, so each lock costs that time.

Breaks: It never waits for time to pass.
Fault: A test should not wait for time to pass
"""


async def test(way: int) -> None:
    """Raise an AssertionError if two payments at the same time can get a balance wrong."""
    account, others = next(accounts), list[asyncio.Task[int]]()

    async def let_another_one_go_on() -> None:
        others.append(asyncio.create_task(pay_in(way, account, 20, lambda: asyncio.sleep(0))))
        await asyncio.wait(others[-1:], timeout=STOP_S)

    await pay_in(way, account, 10, let_another_one_go_on)
    await asyncio.gather(*others)
    due = 10 + 20 * len(others)
    assert balances[account] == due, f"way {way}: {balances[account]}, not {due}"
