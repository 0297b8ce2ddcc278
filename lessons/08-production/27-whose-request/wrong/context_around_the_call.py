"""Run_in_executor runs in a copy of the context; what the thread calls does not.

Breaks: Fix it: each line names the id
Fault: so its line should be marked
"""


async def in_pool(picture: int) -> int:
    """Have a thread of the pool shrink the picture."""
    loop = asyncio.get_running_loop()
    return await copy_context().run(loop.run_in_executor, pool, shrink, picture)
