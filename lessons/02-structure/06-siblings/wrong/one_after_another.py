"""Nothing outlives send_album, because each part is only begun when the one before it is over.

Breaks: All parts start at the same moment.
Fault: should be open at one moment
"""


async def send_album() -> None:
    """Send all parts at the same time. When this is over, nothing of it goes on."""
    for n in range(1, PARTS + 1):
        await send(n)


async def main() -> str:
    """What became of the album. The program then rests, as a server would that waits for the next one."""
    try:
        await send_album()
        outcome = "sent"
    except RefusedError:
        outcome = "refused"
    await asyncio.sleep(REST_S)
    return f"album {outcome}"
