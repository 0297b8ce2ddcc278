"""The order is saved before the warehouse is asked, also when it is sold out.

Breaks: Only if that is 0 or more does it save the order, once.
Fault: was saved before the warehouse had answered
"""


async def handle(order: int) -> str:
    """Answer one order."""
    receipt = await save(order)
    left = await left_over(order)
    if left < 0:
        return f"order {order}: sold out"
    return f"order {order}: receipt {receipt}"
