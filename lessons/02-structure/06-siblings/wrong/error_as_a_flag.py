"""Wrong: send_album says by a flag what it should say by an error."""

import asyncio

PARTS = 6
REFUSED = 2
PART_S = 0.1
DISCARD_S = 0.05
REST_S = 1.0


class RefusedError(Exception):
    """The server doesn't accept this part."""


ok = [True]


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
    try:
        await transfer(n)
    except asyncio.CancelledError:
        await discard(n)
        raise


async def send_album() -> None:
    """Send all parts at the same time. When this ends, nothing that it started is still running."""
    try:
        async with asyncio.TaskGroup() as group:
            for n in range(1, PARTS + 1):
                group.create_task(send(n))
    except* RefusedError:
        ok[0] = False


async def main() -> str:
    """Send the album, rest like a server that waits for the next one, and return the outcome."""
    await send_album()
    outcome = "sent" if ok[0] else "refused"
    await asyncio.sleep(REST_S)
    return f"album {outcome}"


if __name__ == "__main__":
    print(asyncio.run(main()))
