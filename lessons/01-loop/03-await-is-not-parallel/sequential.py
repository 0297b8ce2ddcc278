"""Four shops are asked for a price, and each takes its time: how long until all have answered?

Predict the seconds, and which shop answers first:  python sequential.py
"""

import asyncio

SHOPS = 4
STEP_S = 0.1


async def ask(shop: int) -> int:
    """Get the price from one shop. Shop 1 is the slowest; each one after it is STEP_S faster."""
    await asyncio.sleep((SHOPS - shop + 1) * STEP_S)
    print(f"shop {shop} answered")
    return 100 + shop


async def main() -> None:
    prices: list[int] = []
    for shop in range(1, SHOPS + 1):
        price = await ask(shop)
        prices.append(price)
    print(f"the prices: {prices}")


if __name__ == "__main__":
    asyncio.run(main())
