"""Right: the queue is a deque behind a Condition, and room is asked for before reading."""

import asyncio
import random
from collections import deque

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


async def develop_all() -> list[str]:
    """Read and develop all photos; return the prints in the order of the photos."""
    waiting: deque[tuple[int, str]] = deque()
    changed = asyncio.Condition()
    prints = [""] * PHOTOS

    async def fill() -> None:
        for n in range(PHOTOS):
            async with changed:
                await changed.wait_for(lambda: len(waiting) < ROOM)
            photo = await read(n + 1)
            async with changed:
                waiting.append((n, photo))
                changed.notify_all()

    async def work() -> None:
        while not all(prints):
            async with changed:
                await changed.wait_for(lambda: waiting or all(prints))
                if not waiting:
                    return
                n, photo = waiting.popleft()
                changed.notify_all()
            prints[n] = await develop(photo)
        async with changed:
            changed.notify_all()

    async with asyncio.TaskGroup() as group:
        for job in (fill, *[work] * WORKERS):
            group.create_task(job())
    return prints


async def main() -> list[str]:
    """Return the prints, or what stopped them. Leave this function as it is."""
    try:
        return await develop_all()
    except* ValueError as errors:
        stopped = [f"stopped: {error}" for error in errors.exceptions]
    return stopped


if __name__ == "__main__":
    print(*asyncio.run(main()), sep="\n")
