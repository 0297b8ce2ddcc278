"""Four customers use one server at the same time, and its books say who did: who gets a bill?

Predict how many bills are sent before you run it:  python thread_local.py
"""

import asyncio
import threading

CUSTOMERS = 4
GAP_S = 0.2
QUERY_S = 0.5
WRITE_S = 0.3

current = threading.local()
books: set[int] = set()


async def enter(customer: int) -> None:
    """Write into the books that this customer has used the database."""
    books.add(customer)
    await asyncio.sleep(WRITE_S)


async def query() -> None:
    """Ask the database, for the current customer."""
    await asyncio.sleep(QUERY_S)
    await enter(current.customer)


async def handle(n: int) -> None:
    """Handle the request of customer n."""
    current.customer = n
    await query()


async def bill(customer: int) -> None:
    """Send a bill to one customer."""
    await asyncio.sleep(WRITE_S)


async def main() -> None:
    async with asyncio.TaskGroup() as group:
        for n in range(1, CUSTOMERS + 1):
            group.create_task(handle(n))
            await asyncio.sleep(GAP_S)
    async with asyncio.TaskGroup() as group:
        for customer in books:
            group.create_task(bill(customer))
    print(f"{CUSTOMERS} customers, {len(books)} bills")


if __name__ == "__main__":
    asyncio.run(main())
