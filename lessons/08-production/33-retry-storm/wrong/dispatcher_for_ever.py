"""A task gives out the turns. Nobody ends it.

Breaks: When main is over, no task goes on.
Fault: Every task should be done when main is. dispatch
"""

del turns
waiting: asyncio.Queue[asyncio.Future[None]] = asyncio.Queue()
dispatchers: list[asyncio.Task[None]] = []


async def dispatch() -> None:
    """Give out a turn every 1 / RATE seconds, first come, first served."""
    while True:
        waiter = await waiting.get()
        if not waiter.done():
            await asyncio.sleep(1 / RATE)
            if not waiter.done():
                waiter.set_result(None)


async def turn() -> None:
    if not dispatchers:
        dispatchers.append(asyncio.create_task(dispatch()))
    waiter = asyncio.get_running_loop().create_future()
    waiting.put_nowait(waiter)
    await waiter


async def request(n: int) -> str:
    """Ask until there is an answer, another error, or no time left."""
    async with asyncio.timeout(DEADLINE_S):
        while True:
            await turn()
            try:
                return await attempt(n)
            except ConnectionError:
                continue
