"""The second picture of a request waits until the first is shrunk.

Breaks: and gets all pictures at the same time.
Fault: pictures at the same time, to shrink them or to keep them waiting
"""


async def in_pool(picture: int) -> int:
    """Have a thread of the pool shrink the picture."""
    return await asyncio.get_running_loop().run_in_executor(pool, copy_context().run, shrink, picture)


async def handle(n: int) -> list[int]:
    """Handle request n, with pictures 2n - 1 and 2n; return their sizes."""
    its_id, its_customer = sender(n)
    request_id.set(its_id)
    customer.set(its_customer)
    return [await in_pool(2 * n - 1), await in_pool(2 * n)]
