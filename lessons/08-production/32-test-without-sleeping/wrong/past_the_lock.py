"""Writes to the balance itself at each stop, and so goes past the lock of a right way.

Breaks: and for no other.
Fault: Its test should never fail
"""


async def test(way: int) -> None:
    """Raise an AssertionError if two payments at the same time can get a balance wrong."""
    account, others = next(accounts), 0

    async def stop() -> None:
        nonlocal others
        balances[account] += 20
        others += 1

    await pay_in(way, account, 10, stop)
    due = 10 + 20 * others
    assert balances[account] == due, f"way {way}: {balances[account]}, not {due}"
