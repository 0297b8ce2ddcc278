"""The warning is switched off instead of being heeded.

Breaks: Make everything run.
Fault: save was called on line
"""

import warnings


async def handle(order: int) -> str:
    """Answer one order."""
    left = await left_over(order)
    if left < 0:
        return f"order {order}: sold out"
    receipt = save(order)
    return f"order {order}: receipt {receipt}"


async def main() -> None:
    warnings.simplefilter("ignore")
    for order in range(1, ORDERS + 1):
        answer = await handle(order)
        print(answer)
