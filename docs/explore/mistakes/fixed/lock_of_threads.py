"""Two payments change one balance, one after the other."""

import asyncio

account = {"balance": 0}
lock = asyncio.Lock()


async def pay_in(amount: int) -> None:
    async with lock:
        before = account["balance"]
        await asyncio.sleep(0.1)
        account["balance"] = before + amount


async def main() -> None:
    await asyncio.gather(pay_in(10), pay_in(20))
    print(account)


if __name__ == "__main__":
    asyncio.run(main())
