"""Fire and forget. Nothing waits for the parts, and nothing reports the error.

Breaks: When all of that is done, and not before, send_album ends
Fault: No call of send may outlive send_album()
"""


async def send_album() -> None:
    """Send all parts at the same time. When this is over, nothing of it goes on."""
    for n in range(1, PARTS + 1):
        asyncio.create_task(send(n))


async def main() -> str:
    """What became of the album. The program then rests, as a server would that waits for the next one."""
    try:
        await send_album()
        outcome = "sent"
    except RefusedError:
        outcome = "refused"
    await asyncio.sleep(REST_S)
    return f"album {outcome}"
