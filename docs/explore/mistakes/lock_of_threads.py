"""Two payments change one balance, one after the other."""

import asyncio
import threading

balance = 0
lock = threading.Lock()


async def pay_in(amount: int) -> None:
    global balance
    with lock:
        before = balance
        await asyncio.sleep(0.1)
        balance = before + amount


async def main() -> None:
    await asyncio.gather(pay_in(10), pay_in(20))
    print("balance:", balance)


if __name__ == "__main__":
    asyncio.run(main())
