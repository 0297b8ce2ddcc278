"""The call is gone, and the warning with it; no order is saved.

Breaks: Only if that is 0 or more does it save the order, once.
Fault: are left after order 1; it was saved 0 times
"""


async def handle(order: int) -> str:
    """Answer one order."""
    left = await left_over(order)
    if left < 0:
        return f"order {order}: sold out"
    receipt = 1000 + order
    return f"order {order}: receipt {receipt}"
