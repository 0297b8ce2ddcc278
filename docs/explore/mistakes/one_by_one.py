"""Four pages are fetched for one report."""

import asyncio


async def fetch(page: int) -> str:
    await asyncio.sleep(0.1)
    return f"page {page}"


async def main() -> None:
    pages = []
    for n in range(1, 5):
        pages.append(await fetch(n))
    print(pages)


if __name__ == "__main__":
    asyncio.run(main())
