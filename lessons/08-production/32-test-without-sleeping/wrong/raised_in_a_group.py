"""The AssertionError is raised in a task group, so main gets an ExceptionGroup.

Breaks: Fix it: test raises an AssertionError
Fault: The program failed: an ExceptionGroup with AssertionError
"""


async def test(way: int) -> None:
    """Raise an AssertionError if two payments at the same time can get a balance wrong."""
    account, others = next(accounts), list[asyncio.Task[int]]()

    async def let_another_one_go_on() -> None:
        others.append(asyncio.create_task(pay_in(way, account, 20, lambda: asyncio.sleep(0))))
        for _ in range(20):
            await asyncio.sleep(0)

    async def first() -> None:
        await pay_in(way, account, 10, let_another_one_go_on)
        await asyncio.gather(*others)
        due = 10 + 20 * len(others)
        assert balances[account] == due, f"way {way}: {balances[account]}, not {due}"

    async with asyncio.TaskGroup() as group:
        group.create_task(first())
