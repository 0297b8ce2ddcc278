"""shrink and log learn who asks from two more arguments.

Breaks: Leave this function as it is.
Fault: by shrink as it is
"""


def log(words: str, its_id: str, its_customer: str) -> None:
    """Log these words for the current request. Leave this function as it is."""
    line(words, its_id, its_customer)


def shrink(picture: int, its_id: str, its_customer: str) -> int:
    """Shrink a picture; return its new size. Leave this function as it is."""
    log(f"picture {picture}", its_id, its_customer)
    time.sleep(SHRINK_S)
    return random.Random(SEED + picture).randint(10, 999)


async def in_pool(picture: int) -> int:
    """Have a thread of the pool shrink the picture."""
    its_id, its_customer = request_id.get(), customer.get()
    return await asyncio.get_running_loop().run_in_executor(pool, shrink, picture, its_id, its_customer)


async def main() -> list[list[int]]:
    """Handle all requests; then shrink some again, outside any (leave that as it is). Return sizes."""
    sizes = await asyncio.gather(*(handle(n) for n in range(1, REQUESTS + 1)))
    again = [pool.submit(shrink, n, "-", "-") for n in range(1, THREADS + 1)]
    await asyncio.gather(*map(asyncio.wrap_future, again))
    return sizes
