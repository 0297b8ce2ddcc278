"""Right: send_album discards the stopped parts itself, one after another."""

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
    await transfer(n)


async def send_album() -> None:
    """Send all parts at the same time. When this ends, nothing that it started is still running."""
    tasks = {n: asyncio.create_task(send(n)) for n in range(1, PARTS + 1)}
    try:
        await asyncio.gather(*tasks.values())
    except RefusedError:
        for task in tasks.values():
            task.cancel()
        await asyncio.gather(*tasks.values(), return_exceptions=True)
        for n, task in tasks.items():
            if task.cancelled():
                await discard(n)
        raise


async def main() -> str:
    """Send the album, rest like a server that waits for the next one, and return the outcome."""
    try:
        await send_album()
        outcome = "sent"
    except RefusedError:
        outcome = "refused"
    await asyncio.sleep(REST_S)
    return f"album {outcome}"


if __name__ == "__main__":
    print(asyncio.run(main()))
