"""The answers are awaited, but the order is not saved: its receipt is a coroutine.

Breaks: Make everything run.
Fault: save was called on line
"""


async def handle(order: int) -> str:
    """Answer one order."""
    left = await left_over(order)
    if left < 0:
        return f"order {order}: sold out"
    receipt = save(order)
    return f"order {order}: receipt {receipt}"
