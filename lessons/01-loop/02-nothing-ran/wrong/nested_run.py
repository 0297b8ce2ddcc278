"""Asyncio.run starts an event loop; inside a coroutine one is running already.

Breaks: Make everything run.
Fault: asyncio.run() cannot be called from a running event loop
"""


async def handle(order: int) -> str:
    """Answer one order."""
    left = await left_over(order)
    if left < 0:
        return f"order {order}: sold out"
    receipt = asyncio.run(save(order))
    return f"order {order}: receipt {receipt}"
