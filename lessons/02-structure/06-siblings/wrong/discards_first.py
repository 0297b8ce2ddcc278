"""The parts are discarded while they are still being sent, and stopped afterwards.

Breaks: When a part is refused, the parts still on their way are stopped immediately.
Fault: the others should be stopped immediately; transfer(3) went on
"""


async def send(n: int) -> None:
    """Send one part. If it is stopped halfway, nothing of it stays on the server."""
    await transfer(n)


async def send_album() -> None:
    """Send all parts at the same time. When this ends, nothing that it started is still running."""
    tasks = {n: asyncio.create_task(send(n)) for n in range(1, PARTS + 1)}
    try:
        await asyncio.gather(*tasks.values())
    except RefusedError:
        await asyncio.gather(*[discard(n) for n in tasks if not tasks[n].done()])
        for task in tasks.values():
            task.cancel()
        await asyncio.gather(*tasks.values(), return_exceptions=True)
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
