"""The workers are tasks that nobody waits for; when one dies, join waits forever.

Breaks: If developing one fails, everything stops immediately,
Fault: No task can ever continue
"""


async def fill(photos: asyncio.Queue[tuple[int, str]]) -> None:
    """Read all photos, and put each into the queue."""
    for n in range(1, PHOTOS + 1):
        await photos.put((n, await read(n)))


async def work(photos: asyncio.Queue[tuple[int, str]], prints: dict[int, str]) -> None:
    """Take photos out of the queue forever, and develop each."""
    while True:
        n, photo = await photos.get()
        prints[n] = await develop(photo)
        photos.task_done()


async def develop_all() -> list[str]:
    """Read and develop all photos; return the prints in the order of the photos."""
    photos: asyncio.Queue[tuple[int, str]] = asyncio.Queue(ROOM)
    prints: dict[int, str] = {}
    workers = [asyncio.create_task(work(photos, prints)) for _ in range(WORKERS)]
    await fill(photos)
    await photos.join()
    for worker in workers:
        worker.cancel()
    return [prints[n] for n in sorted(prints)]
