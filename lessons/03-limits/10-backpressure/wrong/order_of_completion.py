"""The prints come in the order in which they were done.

Breaks: in the order of the photos.
Fault: in the order of the photos
"""


async def fill(photos: asyncio.Queue[tuple[int, str]]) -> None:
    """Read all photos, and put each into the queue."""
    for n in range(1, PHOTOS + 1):
        await photos.put((n, await read(n)))


async def work(photos: asyncio.Queue[tuple[int, str]], prints: list[str]) -> None:
    """Take photos out of the queue forever, and develop each."""
    while True:
        _, photo = await photos.get()
        prints.append(await develop(photo))
        photos.task_done()


async def develop_all() -> list[str]:
    """Read and develop all photos; return the prints in the order of the photos."""
    photos: asyncio.Queue[tuple[int, str]] = asyncio.Queue(ROOM)
    prints: list[str] = []
    async with asyncio.TaskGroup() as group:
        workers = [group.create_task(work(photos, prints)) for _ in range(WORKERS)]
        await fill(photos)
        await photos.join()
        for worker in workers:
            worker.cancel()
    return prints
