"""A task saves the order later; the answer is given before that.

Breaks: When the order is saved,
Fault: handle(1) answered while the order was still being saved
"""


async def handle(order: int) -> str:
    """Answer one order."""
    left = await left_over(order)
    if left < 0:
        return f"order {order}: sold out"
    asyncio.create_task(save(order))
    receipt = 1000 + order
    return f"order {order}: receipt {receipt}"
