"""Six files are uploaded, three at a time."""

import asyncio


async def upload(file: int, gate: asyncio.Semaphore) -> None:
    async with gate:
        await asyncio.sleep(0.1)


async def main() -> None:
    gate = asyncio.Semaphore(3)
    await asyncio.gather(*(upload(n, gate) for n in range(6)))


if __name__ == "__main__":
    asyncio.run(main())
