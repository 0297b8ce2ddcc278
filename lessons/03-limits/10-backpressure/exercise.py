"""A disk delivers photos faster than a few workers can develop them. Write develop_all, which is empty.

Photos 1 to PHOTOS are read in order, one at a time, and each is developed once. WORKERS photos are
developed at the same time, never more, and a free worker takes the next photo immediately. At most ROOM
photos wait in the queue, and reading goes ahead until it is full. While it is full, reading waits: only one
photo that has been read may wait outside it. If developing one fails, everything stops immediately, and
develop_all raises the error, alone or in a group.

Run it alone with:  python 10-backpressure.py
"""

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


async def develop_all() -> list[str]:
    """Read and develop all photos; return the prints in the order of the photos."""
    # TODO: write this function, and others that you need
    return []


async def main() -> list[str]:
    """Return the prints, or what stopped them. Leave this function as it is."""
    try:
        return await develop_all()
    except* ValueError as errors:
        stopped = [f"stopped: {error}" for error in errors.exceptions]
    return stopped


if __name__ == "__main__":
    print(*asyncio.run(main()), sep="\n")
