"""Wrong: read has been edited and takes no time any more."""

import asyncio

PHOTOS = 20
ROOM = 4
WORKERS = 3
READ_S = 0.01
DEVELOP_S = 0.1
DAMAGED = 0


async def read(n: int) -> int:
    """Read one photo from the disk. Leave this function as it is."""
    return n


async def develop(n: int) -> str:
    """Develop one photo. Leave this function as it is."""
    await asyncio.sleep(DEVELOP_S)
    if n == DAMAGED:
        raise ValueError(f"photo {n}")
    return f"print {n:02}"


async def fill(photos: asyncio.Queue[int]) -> None:
    """Read all photos, and put each into the queue."""
    for n in range(1, PHOTOS + 1):
        await photos.put(await read(n))


async def work(photos: asyncio.Queue[int], prints: list[str]) -> None:
    """Take photos out of the queue for ever, and develop each. Leave this function as it is."""
    while True:
        photo = await photos.get()
        prints.append(await develop(photo))
        photos.task_done()


async def develop_all() -> list[str]:
    """Develop all photos; return the prints, in any order."""
    photos: asyncio.Queue[int] = asyncio.Queue(ROOM)
    prints: list[str] = []
    async with asyncio.TaskGroup() as group:
        workers = [group.create_task(work(photos, prints)) for _ in range(WORKERS)]
        await fill(photos)
        await photos.join()
        for worker in workers:
            worker.cancel()
    return prints


async def main() -> list[str]:
    """The prints, or what stopped them. Leave this function as it is."""
    try:
        outcome = await develop_all()
    except* ValueError as errors:
        outcome = [f"stopped: {error}" for error in errors.exceptions]
    return sorted(outcome)


if __name__ == "__main__":
    print(*asyncio.run(main()), sep=", ")
