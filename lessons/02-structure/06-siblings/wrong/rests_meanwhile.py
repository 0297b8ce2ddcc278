"""main rests while the album is being sent.

Breaks: Before it returns, it rests for REST_S.
Fault: main should rest for 1.0 s when send_album is over
"""


async def main() -> str:
    """Send the album, rest like a server that waits for the next one, and return the outcome."""
    rest = asyncio.create_task(asyncio.sleep(REST_S))
    try:
        await send_album()
        outcome = "sent"
    except* RefusedError:
        outcome = "refused"
    await rest
    return f"album {outcome}"
