"""Takes each way without a lock for wrong.

Breaks: and for no other.
Fault: Its test should never fail
"""


async def test(way: int) -> None:
    """Raise an AssertionError if two payments at the same time can get a balance wrong."""
    account, locked = next(accounts), list[bool]()

    async def stop() -> None:
        locked.append(locks[account].locked())

    await asyncio.gather(pay_in(way, account, 10, stop), pay_in(way, account, 20, stop))
    assert locked[0], f"way {way}: no lock"
