"""The sizes of the last request come first.

Breaks: main returns the sizes.
Fault: main() should return
"""


async def in_pool(picture: int) -> int:
    """Have a thread of the pool shrink the picture."""
    return await asyncio.get_running_loop().run_in_executor(pool, copy_context().run, shrink, picture)


async def main() -> list[list[int]]:
    """Handle all requests; then shrink some again, outside any (leave that as it is). Return sizes."""
    sizes = await asyncio.gather(*(handle(n) for n in range(1, REQUESTS + 1)))
    again = [ThreadPoolExecutor.submit(pool, shrink, n) for n in range(1, THREADS + 1)]
    await asyncio.gather(*map(asyncio.wrap_future, again))
    return sizes[::-1]
