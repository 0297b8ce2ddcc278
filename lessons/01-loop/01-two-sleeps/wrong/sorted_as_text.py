"""Wrong: sorted as text, cup 10 comes before cup 2."""

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
    return sorted([await cup for cup in asyncio.as_completed([brew(n) for n in range(1, CUPS + 1)])])


if __name__ == "__main__":
    print(asyncio.run(main()))
