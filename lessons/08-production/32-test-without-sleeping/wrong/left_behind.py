"""Begins one more payment at the end, and forgets it.

Breaks: Each payment that it begins finishes.
Fault: should return; it was cancelled
"""


async def test(way: int) -> None:
    """Raise an AssertionError if two payments at the same time can get a balance wrong."""
    account, others = next(accounts), list[asyncio.Task[int]]()

    async def let_another_one_go_on() -> None:
        others.append(asyncio.create_task(pay_in(way, account, 20, lambda: asyncio.sleep(0))))
        for _ in range(20):
            await asyncio.sleep(0)

    await pay_in(way, account, 10, let_another_one_go_on)
    await asyncio.gather(*others)
    due = 10 + 20 * len(others)
    wrong = balances[account] != due
    await let_another_one_go_on()
    others.append(asyncio.create_task(pay_in(way, account, 20, asyncio.Event().wait)))
    await asyncio.sleep(0)
    assert not wrong, f"way {way}: {balances[account]}, not {due}"
