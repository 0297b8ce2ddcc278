"""As many photos as there are workers are developed together, then the next ones.

Breaks: a free worker takes the next photo immediately.
Fault: A free worker should take the next photo immediately
"""


async def fill(photos: asyncio.Queue[tuple[int, str]]) -> None:
    """Read all photos, and put each into the queue."""
    for n in range(1, PHOTOS + 1):
        await photos.put((n, await read(n)))


async def work(photos: asyncio.Queue[tuple[int, str]], prints: dict[int, str]) -> None:
    """Take photos out of the queue forever, and develop WORKERS of them together."""
    while len(prints) < PHOTOS:
        some = [await photos.get() for _ in range(min(WORKERS, PHOTOS - len(prints)))]
        done = await asyncio.gather(*(develop(photo) for _, photo in some))
        prints |= {n: one for (n, _), one in zip(some, done, strict=True)}


async def develop_all() -> list[str]:
    """Read and develop all photos; return the prints in the order of the photos."""
    photos: asyncio.Queue[tuple[int, str]] = asyncio.Queue(ROOM)
    prints: dict[int, str] = {}
    async with asyncio.TaskGroup() as group:
        group.create_task(fill(photos))
        group.create_task(work(photos, prints))
    return [prints[n] for n in sorted(prints)]
