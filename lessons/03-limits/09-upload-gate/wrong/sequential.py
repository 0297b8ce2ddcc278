"""One image after another. Nothing is exceeded, but the limit is never reached either.

Breaks: While images are left, a connection that becomes free is used immediately.
Fault: 5 sends should be at work at the same time; there was never more than 1
"""


async def upload(n: int) -> str:
    """Send one image as soon as a connection is free."""
    return await send(n)


async def main() -> list[str]:
    """Upload all images; return what send answered, in the order of the images."""
    return [await upload(n) for n in range(1, UPLOADS + 1)]
