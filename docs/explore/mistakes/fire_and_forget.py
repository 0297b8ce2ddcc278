"""A customer is notified; the receipt is mailed on the side."""

import asyncio


async def mail(receipt: int) -> None:
    await asyncio.sleep(0.3)
    print(f"receipt {receipt} mailed")


async def main() -> None:
    mailing = asyncio.create_task(mail(4711))
    await asyncio.sleep(0.1)
    print("the customer is notified")


if __name__ == "__main__":
    asyncio.run(main())
