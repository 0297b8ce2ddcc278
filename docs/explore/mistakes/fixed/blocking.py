"""Three sensors are read together; each takes a moment."""

import asyncio


async def read(sensor: int) -> int:
    await asyncio.sleep(0.2)
    return 20 + sensor


async def main() -> None:
    print(await asyncio.gather(*(read(n) for n in range(3))))


if __name__ == "__main__":
    asyncio.run(main())
