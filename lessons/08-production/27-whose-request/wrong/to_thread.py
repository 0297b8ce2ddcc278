"""To_thread copies the context, but its threads are those of another pool.

Breaks: The pool does all the shrinking,
Fault: The one pool with
"""


async def in_pool(picture: int) -> int:
    """Have a thread of the pool shrink the picture."""
    return await asyncio.to_thread(shrink, picture)
