"""The group raises an ExceptionGroup, and `except RefusedError` does not catch that.

Breaks: main then returns "album refused";
Fault: an ExceptionGroup with RefusedError: part 2
"""


async def main() -> str:
    """What became of the album. The program then rests, as a server would that waits for the next one."""
    try:
        await send_album()
        outcome = "sent"
    except RefusedError:
        outcome = "refused"
    await asyncio.sleep(REST_S)
    return f"album {outcome}"
