"""Eight files are uploaded, two at a time."""

import asyncio


async def upload(file: int) -> None:
    gate = asyncio.Semaphore(2)
    async with gate:
        await asyncio.sleep(0.1)


async def main() -> None:
    await asyncio.gather(*(upload(n) for n in range(8)))


if __name__ == "__main__":
    asyncio.run(main())
