"""Makes one payment after the other.

Breaks: for each way that can get a balance wrong,
Fault: Its test should fail each time
"""


async def test(way: int) -> None:
    """Raise an AssertionError if two payments at the same time can get a balance wrong."""
    account = next(accounts)
    await pay_in(way, account, 10, lambda: asyncio.sleep(0))
    await pay_in(way, account, 20, lambda: asyncio.sleep(0))
    assert balances[account] == 30, f"way {way}: {balances[account]}, not 30"
