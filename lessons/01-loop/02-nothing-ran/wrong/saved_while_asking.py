"""It saves the order while the warehouse is still being asked.

Breaks: Only if that is 0 or more does it save the order, once.
Fault: was saved before the warehouse had answered
"""


async def handle(order: int) -> str:
    """Answer one order."""
    left, receipt = await asyncio.gather(left_over(order), save(order))
    if left < 0:
        return f"order {order}: sold out"
    return f"order {order}: receipt {receipt}"


async def main() -> None:
    for order in range(1, ORDERS + 1):
        print(await handle(order))
