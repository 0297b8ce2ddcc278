"""Both pictures of a request get one copy. Only one thread can be in it at a time.

Breaks: Fix it: each line names the id
Fault: RuntimeError: cannot enter context
"""

from contextvars import Context


async def in_pool(picture: int, context: Context) -> int:
    """Have a thread of the pool shrink the picture."""
    return await asyncio.get_running_loop().run_in_executor(pool, context.run, shrink, picture)


async def handle(n: int) -> list[int]:
    """Handle request n, with pictures 2n - 1 and 2n; return their sizes."""
    its_id, its_customer = sender(n)
    request_id.set(its_id)
    customer.set(its_customer)
    context = copy_context()
    return await asyncio.gather(*(in_pool(picture, context) for picture in (2 * n - 1, 2 * n)))
