"""send discards its part, and send_album discards all of them again.

Breaks: discard is called, once, for each part that was stopped,
Fault: should be discarded once; part 3 was discarded again
"""


async def send_album() -> None:
    """Send all parts at the same time. When this is over, nothing of it goes on."""
    try:
        async with asyncio.TaskGroup() as group:
            for n in range(1, PARTS + 1):
                group.create_task(send(n))
    except* RefusedError:
        for n in range(REFUSED + 1, PARTS + 1):
            await discard(n)
        raise
