"""Ten brews of 0.3 s each: how long until the last cup is ready?

Predict the seconds before you run it:  python awaited.py
"""

import asyncio

BREWS = 10
BREW_S = 0.3


async def brew(n: int) -> None:
    """Make one cup. There is nothing to compute, only time to wait."""
    await asyncio.sleep(BREW_S)


async def main() -> None:
    async with asyncio.TaskGroup() as group:
        for n in range(1, BREWS + 1):
            group.create_task(brew(n))
    print(f"{BREWS} cups are ready")


if __name__ == "__main__":
    asyncio.run(main())
