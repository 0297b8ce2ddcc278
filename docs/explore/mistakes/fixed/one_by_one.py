"""Four pages are fetched for one report."""

import asyncio


async def fetch(page: int) -> str:
    await asyncio.sleep(0.1)
    return f"page {page}"


async def main() -> None:
    print(await asyncio.gather(*(fetch(n) for n in range(1, 5))))


if __name__ == "__main__":
    asyncio.run(main())
