"""A timer gives the place back after the shortest time that developing may take.

Breaks: never more,
Fault: photos may be at work at the same time
"""


async def develop_all() -> list[str]:
    """Read and develop all photos; return the prints in the order of the photos."""
    queue: asyncio.Queue[tuple[int, str]] = asyncio.Queue(ROOM)
    gate = asyncio.Semaphore(WORKERS)
    prints: dict[int, str] = {}

    async def reader() -> None:
        for n in range(1, PHOTOS + 1):
            await queue.put((n, await read(n)))

    async def one() -> None:
        await gate.acquire()
        n, photo = await queue.get()
        asyncio.get_running_loop().call_later(DEVELOP_MS // 2 / 1000, gate.release)
        prints[n] = await develop(photo)

    async with asyncio.TaskGroup() as group:
        group.create_task(reader())
        for _ in range(PHOTOS):
            group.create_task(one())
    return [prints[n] for n in range(1, PHOTOS + 1)]
