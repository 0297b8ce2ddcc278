"""Repairs pay_in, which is to be tested.

Breaks: for each way that can get a balance wrong,
Breaks: Leave this function as it is.
Fault: Its test should fail each time
"""


async def pay_in(way: int, account: int, amount: int, stop: Callable[[], Awaitable[object]]) -> int:
    """Add an amount to the balance of an account; return what it wrote. Leave this function as it is."""
    _, most = ways[way - 1]
    async with locks[account]:
        for _ in range(chance.randint(1, 4)):
            await asyncio.sleep(0)
            await stop()
        balance = balances[account] + amount
        async with nullcontext():
            for _ in range(chance.randint(min(1, most), most)):
                await stop()
            balances[account] = balance
    return balance
