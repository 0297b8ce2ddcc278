"""Nothing is saved; closing the coroutine only silences the warning.

Breaks: Only if that is 0 or more does it save the order, once.
Fault: are left after order 1; it was saved 0 times
"""


async def handle(order: int) -> str:
    """Answer one order."""
    left = await left_over(order)
    if left < 0:
        return f"order {order}: sold out"
    coroutine = save(order)
    coroutine.close()
    receipt = 1000 + order
    return f"order {order}: receipt {receipt}"
