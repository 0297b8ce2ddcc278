"""A search engine's list of addresses is checked: does each still answer?"""

import asyncio

ADDRESSES = 300


async def check(address: int) -> bool:
    await asyncio.sleep(0.02)
    return address % 7 != 0


async def main() -> None:
    answers = await asyncio.gather(*(check(n) for n in range(ADDRESSES)))
    print(sum(answers), "answer")


if __name__ == "__main__":
    asyncio.run(main())
