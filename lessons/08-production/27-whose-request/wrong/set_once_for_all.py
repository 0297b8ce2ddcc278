"""One dictionary that all threads share has the id and the customer of the last request.

Breaks: of its request.
Fault: so its line should be marked
"""

last = {"id": "-", "customer": "-"}


def log(words: str) -> None:
    """Log these words for the current request. Leave this function as it is."""
    line(words, last["id"], last["customer"])


async def in_pool(picture: int) -> int:
    """Have a thread of the pool shrink the picture."""
    return await asyncio.get_running_loop().run_in_executor(pool, shrink, picture)


async def handle(n: int) -> list[int]:
    """Handle request n, with pictures 2n - 1 and 2n; return their sizes."""
    its_id, its_customer = sender(n)
    request_id.set(its_id)
    customer.set(its_customer)
    last.update(id=its_id, customer=its_customer)
    return await asyncio.gather(*(in_pool(picture) for picture in (2 * n - 1, 2 * n)))
