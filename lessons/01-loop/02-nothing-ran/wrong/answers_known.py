"""It asks the warehouse and ignores what it says: it knows which order was sold out last time.

Breaks: Only if that is 0 or more does it save the order, once.
Fault: the warehouse said
"""


async def handle(order: int) -> str:
    """Answer one order."""
    await left_over(order)
    if order == 3:
        return f"order {order}: sold out"
    receipt = await save(order)
    return f"order {order}: receipt {receipt}"


async def main() -> None:
    for order in range(1, ORDERS + 1):
        print(await handle(order))
