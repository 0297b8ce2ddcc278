"""Wrong: nothing is shrunk again at the end."""

import asyncio
import random
import time
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar, copy_context

REQUESTS = 4
THREADS = 3
SHRINK_S = 0.2
SEED = 0
request_id: ContextVar[str] = ContextVar("request_id", default="-")
customer: ContextVar[str] = ContextVar("customer", default="-")
pool = ThreadPoolExecutor(THREADS)


def line(words: str, request: str, customer: str) -> None:
    """Write one line of the log. Leave this function as it is."""
    print(f"{request} {customer} {words}")


def log(words: str) -> None:
    """Log these words for the current request. Leave this function as it is."""
    line(words, request_id.get(), customer.get())


def shrink(picture: int) -> int:
    """Shrink a picture; return its new size. Leave this function as it is."""
    log(f"picture {picture}")
    time.sleep(SHRINK_S)
    return random.Random(SEED + picture).randint(10, 999)


def sender(n: int) -> tuple[str, str]:
    """Look up who sent request n: its id, and the customer. Leave this function as it is."""
    return f"r{random.Random(SEED + n).randint(1000, 9999)}", f"c{random.Random(SEED - n).randint(100, 999)}"


async def in_pool(picture: int) -> int:
    """Have a thread of the pool shrink the picture."""
    return await asyncio.get_running_loop().run_in_executor(pool, copy_context().run, shrink, picture)


async def handle(n: int) -> list[int]:
    """Handle request n, with pictures 2n - 1 and 2n; return their sizes."""
    its_id, its_customer = sender(n)
    request_id.set(its_id)
    customer.set(its_customer)
    return await asyncio.gather(*(in_pool(picture) for picture in (2 * n - 1, 2 * n)))


async def main() -> list[list[int]]:
    """Handle all requests; then shrink some again, outside any (leave that as it is). Return sizes."""
    return await asyncio.gather(*(handle(n) for n in range(1, REQUESTS + 1)))


if __name__ == "__main__":
    print(asyncio.run(main()))
