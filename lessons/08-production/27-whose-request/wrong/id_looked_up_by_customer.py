"""The id is looked up by the customer, who may have sent two requests.

Breaks: Fix it: each line names the id
Fault: so its line should be marked
"""

from contextvars import Context

sent: dict[str, str] = {}  # by customer: the id of the request


def shrink_for(its_customer: str, picture: int) -> int:
    """Shrink a picture of this customer's request."""
    customer.set(its_customer)
    request_id.set(sent[its_customer])
    return shrink(picture)


async def in_pool(picture: int) -> int:
    """Have a thread of the pool shrink the picture."""
    loop = asyncio.get_running_loop()
    return await loop.run_in_executor(pool, Context().run, shrink_for, customer.get(), picture)


async def handle(n: int) -> list[int]:
    """Handle request n, with pictures 2n - 1 and 2n; return their sizes."""
    its_id, its_customer = sender(n)
    request_id.set(its_id)
    customer.set(its_customer)
    sent[its_customer] = its_id
    return await asyncio.gather(*(in_pool(picture) for picture in (2 * n - 1, 2 * n)))
