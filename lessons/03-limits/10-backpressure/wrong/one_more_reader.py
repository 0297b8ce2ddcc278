"""Two tasks take turns at reading, so two photos wait outside when the queue is full.

Breaks: While it is full, reading waits: only one photo that has been read may wait outside it.
Fault: Reading should wait while the queue is full
"""


async def fill(turn: asyncio.Lock, left: list[int], photos: asyncio.Queue[tuple[int, str]]) -> None:
    """Read photos until none is left, and put each into the queue."""
    while left:
        async with turn:
            if not left:
                return
            n = left.pop(0)
            photo = await read(n)
        await photos.put((n, photo))


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
    async with asyncio.TaskGroup() as group:
        workers = [group.create_task(work(photos, prints)) for _ in range(WORKERS)]
        turn, left = asyncio.Lock(), list(range(1, PHOTOS + 1))
        await asyncio.gather(fill(turn, left, photos), fill(turn, left, photos))
        await photos.join()
        for worker in workers:
            worker.cancel()
    return [prints[n] for n in sorted(prints)]
