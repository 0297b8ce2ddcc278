"""It looks every 70 ms whether a part has been refused.

Breaks: When a part is refused, the parts still on their way are stopped immediately.
Fault: the others should be stopped immediately; transfer(3) went on
"""


async def send_album() -> None:
    """Send all parts at the same time. When this ends, nothing that it started is still running."""
    tasks = [asyncio.create_task(send(n)) for n in range(1, PARTS + 1)]
    while not all(t.done() for t in tasks):
        if any(t.done() and not t.cancelled() and t.exception() for t in tasks):
            break
        await asyncio.sleep(0.07)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    for task in tasks:
        if not task.cancelled():
            task.result()


async def main() -> str:
    """Send the album, rest like a server that waits for the next one, and return the outcome."""
    try:
        await send_album()
        outcome = "sent"
    except RefusedError:
        outcome = "refused"
    await asyncio.sleep(REST_S)
    return f"album {outcome}"
