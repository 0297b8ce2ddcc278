"""Reads what the way is, and tests nothing.

Breaks: test only raises if it saw a wrong balance.
Fault: A test should only fail if it saw a wrong balance
"""


async def test(way: int) -> None:
    """Raise an AssertionError if two payments at the same time can get a balance wrong."""
    account = next(accounts)
    await pay_in(way, account, 10, lambda: asyncio.sleep(0))
    locked, most = ways[way - 1]
    assert most == 0 or locked == "all of it", f"way {way} locks {locked}"
