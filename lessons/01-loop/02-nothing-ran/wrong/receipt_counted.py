"""The order is saved, and the number of its receipt is guessed.

Breaks: it answers with the receipt number that save returned.
Fault: it returned 'order 1: receipt
"""


async def handle(order: int) -> str:
    """Answer one order."""
    left = await left_over(order)
    if left < 0:
        return f"order {order}: sold out"
    await save(order)
    return f"order {order}: receipt {1000 + order}"


async def main() -> None:
    for order in range(1, ORDERS + 1):
        print(await handle(order))
