"""Nothing is shrunk again at the end.

Breaks: at its end, main gives the pool some again, outside any request;
Fault: once more, outside any request
"""


async def in_pool(picture: int) -> int:
    """Have a thread of the pool shrink the picture."""
    return await asyncio.get_running_loop().run_in_executor(pool, copy_context().run, shrink, picture)


async def main() -> list[list[int]]:
    """Handle all requests; then shrink some again, outside any (leave that as it is). Return sizes."""
    return await asyncio.gather(*(handle(n) for n in range(1, REQUESTS + 1)))
