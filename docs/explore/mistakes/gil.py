"""A comment is trimmed in a thread, so that the beat goes on meanwhile."""

import asyncio
import re

COMMENT = " " * 8_000 + "."


def trim(text: str) -> str:
    return re.sub(r"\s+$", "", text)


async def beat() -> None:
    while True:
        await asyncio.sleep(0.02)


async def main() -> None:
    beating = asyncio.create_task(beat())
    print(len(await asyncio.to_thread(trim, COMMENT)))
    beating.cancel()


if __name__ == "__main__":
    asyncio.run(main())
