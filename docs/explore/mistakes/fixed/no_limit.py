"""A long list of links is checked: which still answer?"""

import asyncio

LINKS = 250
GATE = asyncio.Semaphore(20)


async def check(link: int) -> bool:
    async with GATE:
        await asyncio.sleep(0.02)
    return link % 7 != 0


async def main() -> None:
    answers = await asyncio.gather(*map(check, range(LINKS)))
    print(sum(answers), "answer")


if __name__ == "__main__":
    asyncio.run(main())
