"""The context is copied when the program starts, before any request is there.

Breaks: Fix it: each line names the id
Fault: so its line should be marked
"""

context = copy_context()


async def in_pool(picture: int) -> int:
    """Have a thread of the pool shrink the picture."""
    return await asyncio.get_running_loop().run_in_executor(pool, context.copy().run, shrink, picture)
