"""What waits for room also waits for an error, but what reads does not, so it reads on.

Breaks: If developing one fails, everything stops immediately,
Fault: everything should stop immediately;
"""

from collections.abc import Coroutine


async def work(photos: asyncio.Queue[tuple[int, str]], prints: dict[int, str]) -> None:
    """Take photos out of the queue forever, and develop each."""
    while True:
        n, photo = await photos.get()
        prints[n] = await develop(photo)
        photos.task_done()


async def wait_or_fail(waiting: Coroutine[None, None, None], workers: list[asyncio.Task[None]]) -> None:
    """Wait for this, or for a worker that fails; then stop all."""
    task = asyncio.create_task(waiting)
    await asyncio.wait([task, *workers], return_when=asyncio.FIRST_COMPLETED)
    for worker in workers:
        if worker.done():
            for one in [task, *workers]:
                one.cancel()
            worker.result()


async def develop_all() -> list[str]:
    """Read and develop all photos; return the prints in the order of the photos."""
    photos: asyncio.Queue[tuple[int, str]] = asyncio.Queue(ROOM)
    prints: dict[int, str] = {}
    workers = [asyncio.create_task(work(photos, prints)) for _ in range(WORKERS)]
    for n in range(1, PHOTOS + 1):
        photo = await read(n)
        await wait_or_fail(photos.put((n, photo)), workers)
    await wait_or_fail(photos.join(), workers)
    for worker in workers:
        worker.cancel()
    return [prints[n] for n in sorted(prints)]
