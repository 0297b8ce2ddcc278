"""Waits for all parts, whatever becomes of them; nobody stops those that are of no use any more.

Breaks: When a part is refused, the parts still on their way are stopped immediately.
Fault: the others should be stopped immediately; transfer(3) went on
"""


async def send_album() -> None:
    """Send all parts at the same time. When this is over, nothing of it goes on."""
    results = await asyncio.gather(*(send(n) for n in range(1, PARTS + 1)), return_exceptions=True)
    for result in results:
        if result is not None:
            raise result


async def main() -> str:
    """What became of the album. The program then rests, as a server would that waits for the next one."""
    try:
        await send_album()
        outcome = "sent"
    except RefusedError:
        outcome = "refused"
    await asyncio.sleep(REST_S)
    return f"album {outcome}"
