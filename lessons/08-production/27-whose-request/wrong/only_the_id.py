"""The id is carried into the thread; the customer stays behind.

Breaks: and the customer
Fault: and "-".
"""


async def in_pool(picture: int) -> int:
    """Have a thread of the pool shrink the picture."""
    its_id = request_id.get()

    def call() -> int:
        token = request_id.set(its_id)
        try:
            return shrink(picture)
        finally:
            request_id.reset(token)

    return await asyncio.get_running_loop().run_in_executor(pool, call)
