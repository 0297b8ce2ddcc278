"""No thread, so the context is right, and the event loop is blocked.

Breaks: The pool does all the shrinking,
Fault: shrink was called in the event loop itself
"""


async def in_pool(picture: int) -> int:
    """Have a thread of the pool shrink the picture."""
    await asyncio.sleep(0)
    return shrink(picture)
