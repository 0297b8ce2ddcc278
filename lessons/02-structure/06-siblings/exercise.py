"""An album is sent in parts, all at once. One part is refused, and then the album is of no use. And yet
the others are sent to their end, long after send_album is over.

Mend it: when a part is refused, the parts still on their way are stopped; discard is called for each of them
and for none that has been sent; and only when that is over send_album ends, with an error, so that main
returns "album refused" as before. A part that is stopped ends as cancelled. All parts still start at once.

Run it alone with:  python exercise.py
"""

import asyncio

PARTS = 6
REFUSED = 2
PART_S = 0.1
DISCARD_S = 0.05
REST_S = 1.0


class RefusedError(Exception):
    """The server does not want this part."""


async def transfer(n: int) -> None:
    """The way over the network; the higher n, the longer. Leave this function as it is."""
    await asyncio.sleep(n * PART_S)
    if n == REFUSED:
        raise RefusedError(f"part {n}")


async def discard(n: int) -> None:
    """Throw away what the server has of a part so far. Leave this function as it is."""
    await asyncio.sleep(DISCARD_S)


async def send(n: int) -> None:
    """Send one part. If it is stopped half-way, nothing of it stays on the server."""
    # TODO: what if this part is stopped while it is on its way?
    await transfer(n)


async def send_album() -> None:
    """Send all parts at once. When this is over, nothing of it goes on."""
    # TODO: who stops the other parts, and who waits for them?
    await asyncio.gather(*(send(n) for n in range(1, PARTS + 1)))


async def main() -> str:
    """What became of the album. The program then rests, as a server would that waits for the next one."""
    try:
        await send_album()
        outcome = "sent"
    except RefusedError:  # TODO: is this still the error that arrives here?
        outcome = "refused"
    await asyncio.sleep(REST_S)
    return f"album {outcome}"


if __name__ == "__main__":
    print(asyncio.run(main()))
