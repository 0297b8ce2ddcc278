"""Work in progress is finished when a worker fails, in real time.

Breaks: If developing one fails, everything stops immediately,
Fault: everything should stop immediately;
"""


async def fill(photos: asyncio.Queue[tuple[int, str] | None], stop: asyncio.Event) -> None:
    """Read all photos, and put each into the queue; then a sign for each worker."""
    n = 0
    while n < PHOTOS and not stop.is_set():
        n += 1
        await photos.put((n, await read(n)))
    for _ in range(WORKERS):
        await photos.put(None)


async def work(
    photos: asyncio.Queue[tuple[int, str] | None], prints: dict[int, str], stop: asyncio.Event
) -> None:
    """Develop photos until one fails, or there is the sign."""
    while not stop.is_set() and (item := await photos.get()):
        try:
            prints[item[0]] = await develop(item[1])
        except ValueError:
            stop.set()
            raise


async def develop_all() -> list[str]:
    """Read and develop all photos; return the prints in the order of the photos."""
    await asyncio.to_thread(int)  # time is real from here on
    photos: asyncio.Queue[tuple[int, str] | None] = asyncio.Queue(ROOM)
    prints: dict[int, str] = {}
    stop = asyncio.Event()
    filling = asyncio.create_task(fill(photos, stop))
    workers = [asyncio.create_task(work(photos, prints, stop)) for _ in range(WORKERS)]
    results = await asyncio.gather(*workers, return_exceptions=True)
    filling.cancel()
    for result in results:
        if isinstance(result, ValueError):
            raise result
    return [prints[n] for n in sorted(prints)]
