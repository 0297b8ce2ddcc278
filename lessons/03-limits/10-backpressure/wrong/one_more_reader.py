"""Wrong: two tasks take turns at reading, so two photos wait outside when the queue is full."""

import asyncio
import random

PHOTOS = 20
ROOM = 4
WORKERS = 3
READ_MS = 10
DEVELOP_MS = 100
DAMAGED = 0
SEED = 0

chance = random.Random(SEED)


async def read(n: int) -> str:
    """Read photo n from the disk. Leave this function as it is."""
    code = chance.randrange(1_000_000)
    await asyncio.sleep(READ_MS / 1000)
    return f"photo {n} {code:06}"


async def develop(photo: str) -> str:
    """Make a print of what read has returned. Leave this function as it is."""
    takes_ms = chance.randint(DEVELOP_MS // 2, DEVELOP_MS)
    await asyncio.sleep(takes_ms / 1000)
    if photo.startswith(f"photo {DAMAGED} "):
        raise ValueError(photo)
    return photo.replace("photo", "print")


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


async def main() -> list[str]:
    """Return the prints, or what stopped them. Leave this function as it is."""
    try:
        return await develop_all()
    except* ValueError as errors:
        stopped = [f"stopped: {error}" for error in errors.exceptions]
    return stopped


if __name__ == "__main__":
    print(*asyncio.run(main()), sep="\n")
