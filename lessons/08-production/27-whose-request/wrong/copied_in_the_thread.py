"""The context is copied in the thread, so it is the context of the thread.

Breaks: Fix it: each line names the id
Fault: so its line should be marked
"""


async def in_pool(picture: int) -> int:
    """Have a thread of the pool shrink the picture."""

    def call() -> int:
        return copy_context().run(shrink, picture)

    return await asyncio.get_running_loop().run_in_executor(pool, call)
