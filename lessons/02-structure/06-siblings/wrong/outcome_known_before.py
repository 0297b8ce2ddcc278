"""main does not say what became of the album, but what it expects.

Breaks: if all parts were sent, "album sent".
Fault: main() should return 'album sent'; it returned 'album refused'
"""


async def main() -> str:
    """What became of the album. The program then rests, as a server would that waits for the next one."""
    try:
        await send_album()
    except* RefusedError:
        pass
    outcome = "refused" if REFUSED else "sent"
    await asyncio.sleep(REST_S)
    return f"album {outcome}"
