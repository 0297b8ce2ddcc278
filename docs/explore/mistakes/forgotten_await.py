"""An order is saved before the customer is notified."""

import asyncio


async def save(order: int) -> None:
    await asyncio.sleep(0.1)
    print(f"order {order} saved")


async def main() -> None:
    save(4711)
    await asyncio.sleep(0.1)
    print("the customer is notified")


if __name__ == "__main__":
    asyncio.run(main())
