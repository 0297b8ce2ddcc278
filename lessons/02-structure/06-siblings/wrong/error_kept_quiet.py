"""Everything is stopped and discarded, and the error ends there.

Breaks: with an error.
Fault: send_album() should raise; it returned
"""


async def send_album() -> None:
    """Send all parts at the same time. When this is over, nothing of it goes on."""
    try:
        async with asyncio.TaskGroup() as group:
            for n in range(1, PARTS + 1):
                group.create_task(send(n))
    except* RefusedError:
        pass


async def main() -> str:
    """What became of the album. The program then rests, as a server would that waits for the next one."""
    try:
        await send_album()
        outcome = "sent"
    except RefusedError:
        outcome = "refused"
    await asyncio.sleep(REST_S)
    return f"album {outcome}"
