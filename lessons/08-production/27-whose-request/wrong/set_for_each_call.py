"""Each call sets the variables in the thread, and leaves them there for the next call.

Breaks: Nothing of a request stays in a thread:
Fault: What is set in a thread of a pool stays there
"""


async def in_pool(picture: int) -> int:
    """Have a thread of the pool shrink the picture."""
    its_id, its_customer = request_id.get(), customer.get()

    def call() -> int:
        request_id.set(its_id)
        customer.set(its_customer)
        return shrink(picture)

    return await asyncio.get_running_loop().run_in_executor(pool, call)
