"""Right: a part remembers that it has been sent; otherwise it is discarded."""

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
    """Send one part. If it is stopped half-way, nothing of it stays on the server."""
    sent = False
    try:
        await transfer(n)
        sent = True
    finally:
        if not sent:
            await discard(n)


async def send_album() -> None:
    """Send all parts at the same time. When this is over, nothing of it goes on."""
    async with asyncio.TaskGroup() as group:
        for n in range(1, PARTS + 1):
            group.create_task(send(n))


async def main() -> str:
    """What became of the album. The program then rests, as a server would that waits for the next one."""
    try:
        await send_album()
        outcome = "sent"
    except* RefusedError:
        outcome = "refused"
    await asyncio.sleep(REST_S)
    return f"album {outcome}"


if __name__ == "__main__":
    print(asyncio.run(main()))
