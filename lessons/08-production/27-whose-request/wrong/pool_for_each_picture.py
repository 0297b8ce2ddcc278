"""Each picture gets its own pool, so far more than THREADS threads are at work.

Breaks: in THREADS threads,
Fault: The one pool with
"""


async def in_pool(picture: int) -> int:
    """Have a thread of the pool shrink the picture."""
    own = ThreadPoolExecutor(THREADS)
    return await asyncio.get_running_loop().run_in_executor(own, copy_context().run, shrink, picture)
