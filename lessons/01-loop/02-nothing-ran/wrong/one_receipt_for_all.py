"""Each order is saved, but the receipt in the answer is made up.

Breaks: it answers with the receipt number that save returned.
Fault: it returned 'order 1: receipt
"""


async def handle(order: int) -> str:
    """Answer one order."""
    left = await left_over(order)
    if left < 0:
        return f"order {order}: sold out"
    await save(order)
    receipt = 1001
    return f"order {order}: receipt {receipt}"
