"""Orders come in, and every answer of the shop is a <coroutine object ...>: make everything run that should.

main is to pass each order to handle. handle is to ask the warehouse how many are left, save the order if
there are enough, and answer. The answer names the receipt, so it can only be given when the order is saved.

Run it alone with:  python exercise.py
"""

import asyncio

ORDERS = 4
IN_STOCK = 3
ASK_S = 0.1
SAVE_S = 0.2


async def left_over(order: int) -> int:
    """Ask the warehouse how many are left after this order. Leave this function as it is."""
    await asyncio.sleep(ASK_S)
    return IN_STOCK - order


async def save(order: int) -> int:
    """Write the order to the database; return the receipt's number. Leave this function as it is."""
    await asyncio.sleep(SAVE_S)
    return 1000 + order


async def handle(order: int) -> str:
    """Answer one order."""
    left = await left_over(order)
    if left < 0:
        return f"order {order}: sold out"
    receipt = save(order)  # TODO: what is in receipt?
    return f"order {order}: receipt {receipt}"


async def main() -> None:
    for order in range(1, ORDERS + 1):
        answer = handle(order)  # TODO: what is in answer?
        print(answer)


if __name__ == "__main__":
    asyncio.run(main())
