"""Looks at the balance before the payments have ended that had to wait.

Breaks: and for no other.
Fault: Its test should never fail
"""


async def test(way: int) -> None:
    """Raise an AssertionError if two payments at the same time can get a balance wrong."""
    account, others = next(accounts), list[asyncio.Task[int]]()

    async def let_another_one_go_on() -> None:
        others.append(asyncio.create_task(pay_in(way, account, 20, lambda: asyncio.sleep(0))))
        for _ in range(20):
            await asyncio.sleep(0)

    await pay_in(way, account, 10, let_another_one_go_on)
    due, found = 10 + 20 * len(others), balances[account]
    await asyncio.gather(*others)
    assert found == due, f"way {way}: {found}, not {due}"
