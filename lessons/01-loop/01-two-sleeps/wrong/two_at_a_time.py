"""Wrong: two cups at a time. They overlap, but not all of them."""

import asyncio

CUPS = 6
HEAT_S = 0.1
STEEP_S = 0.3


async def brew(n: int) -> str:
    """Make one cup: heat the water, then let the tea steep."""
    await asyncio.sleep(HEAT_S)
    await asyncio.sleep(STEEP_S)
    return f"cup {n}"


async def main() -> list[str]:
    """Make all cups; return them in the order of their numbers."""
    cups: list[str] = []
    for n in range(1, CUPS + 1, 2):
        cups += await asyncio.gather(*(brew(m) for m in range(n, min(n + 2, CUPS + 1))))
    return cups


if __name__ == "__main__":
    print(asyncio.run(main()))
