"""The second time goes through in_pool, too, which overwrites what the first left in the thread.

Breaks: at its end, main gives the pool some again, outside any request;
Breaks: (leave that as it is).
Fault: Leave the second half of main
"""


async def in_pool(picture: int) -> int:
    """Have a thread of the pool shrink the picture."""
    its_id, its_customer = request_id.get(), customer.get()

    def call() -> int:
        request_id.set(its_id)
        customer.set(its_customer)
        return shrink(picture)

    return await asyncio.get_running_loop().run_in_executor(pool, call)


async def main() -> list[list[int]]:
    """Handle all requests; then shrink some again, outside any (leave that as it is). Return sizes."""
    sizes = await asyncio.gather(*(handle(n) for n in range(1, REQUESTS + 1)))
    await asyncio.gather(*(in_pool(picture) for picture in range(1, THREADS + 1)))
    return sizes
