"""Each stop of both payments lasts 20 turns. That is a sleep, counted in turns.

Breaks: for each way that can get a balance wrong,
Fault: Its test should fail each time
"""


async def test(way: int) -> None:
    """Raise an AssertionError if two payments at the same time can get a balance wrong."""
    account = next(accounts)

    async def stop() -> None:
        for _ in range(20):
            await asyncio.sleep(0)

    await asyncio.gather(pay_in(way, account, 10, stop), pay_in(way, account, 20, stop))
    assert balances[account] == 30, f"way {way}: {balances[account]}, not 30"
