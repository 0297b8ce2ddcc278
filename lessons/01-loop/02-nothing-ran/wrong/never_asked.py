"""The warehouse is not asked. The file happens to say which order is sold out.

Breaks: handle asks the warehouse how many are left.
Fault: questions to the warehouse
"""


async def handle(order: int) -> str:
    """Answer one order."""
    if order == 3:
        return f"order {order}: sold out"
    receipt = await save(order)
    return f"order {order}: receipt {receipt}"


async def main() -> None:
    for order in range(1, ORDERS + 1):
        print(await handle(order))
