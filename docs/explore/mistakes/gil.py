"""A text is trimmed in a thread, and the beat goes on."""

import asyncio
import re

TEXT = " " * 8_000 + "."


def trim(text: str) -> str:
    return re.sub(r"\s+$", "", text)


async def beat() -> None:
    while True:
        await asyncio.sleep(0.02)


async def main() -> None:
    beating = asyncio.create_task(beat())
    print(len(await asyncio.to_thread(trim, TEXT)))
    beating.cancel()


if __name__ == "__main__":
    asyncio.run(main())
