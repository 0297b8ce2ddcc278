"""It takes an order for sold out after which none is left.

Breaks: Only if that is 0 or more does it save the order, once.
Fault: the warehouse said that 0 are left
"""


async def handle(order: int) -> str:
    """Answer one order."""
    left = await left_over(order)
    if left <= 0:
        return f"order {order}: sold out"
    receipt = await save(order)
    return f"order {order}: receipt {receipt}"


async def main() -> None:
    for order in range(1, ORDERS + 1):
        print(await handle(order))
