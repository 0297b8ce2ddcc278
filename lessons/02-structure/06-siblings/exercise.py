"""An album is sent in parts, all at the same time. If a part is refused, the album is of no use.

Write send_album, and complete send and main. All parts start at the same moment. When a part is refused,
the parts still on their way are stopped immediately. discard is called, once, for each part that was
stopped, and never for one that was sent; you may also discard the part that was refused, before the others
are stopped or after. A part that is stopped ends as cancelled. When all of that is done, and not before,
send_album ends with an error. main then returns "album refused"; if all parts were sent, "album sent".
Before it returns, it rests for REST_S.

Run it alone with:  python 06-siblings.py
"""

import asyncio

PARTS = 6
REFUSED = 2
PART_S = 0.1
DISCARD_S = 0.05
REST_S = 1.0


class RefusedError(Exception):
    """The server doesn't accept this part."""


async def transfer(n: int) -> None:
    """Send part n over the network; the higher n is, the longer it takes. Leave this function as it is."""
    await asyncio.sleep(n * PART_S)
    if n == REFUSED:
        raise RefusedError(f"part {n}")


async def discard(n: int) -> None:
    """Throw away what the server has of a part so far. Leave this function as it is."""
    await asyncio.sleep(DISCARD_S)


async def send(n: int) -> None:
    """Send one part. If it is stopped halfway, nothing of it stays on the server."""
    # TODO: what if this part is stopped while it is on its way?
    await transfer(n)


async def send_album() -> None:
    """Send all parts at the same time. When this ends, nothing that it started is still running."""
    # TODO: who starts the parts, who stops them, and who waits for them?


async def main() -> str:
    """Send the album, rest like a server that waits for the next one, and return the outcome."""
    try:
        await send_album()
        outcome = "sent"
    except RefusedError:  # TODO: is this the error that arrives here?
        outcome = "refused"
    await asyncio.sleep(REST_S)
    return f"album {outcome}"


if __name__ == "__main__":
    print(asyncio.run(main()))
