"""A comment is trimmed in a thread, so that the beat goes on meanwhile."""

import asyncio
import re
from concurrent.futures import ProcessPoolExecutor

COMMENT = " " * 8_000 + "."


def trim(text: str) -> str:
    return re.sub(r"\s+$", "", text)


async def beat() -> None:
    while True:
        await asyncio.sleep(0.02)


async def main() -> None:
    beating = asyncio.create_task(beat())
    loop = asyncio.get_running_loop()
    with ProcessPoolExecutor(max_workers=1) as processes:
        print(len(await loop.run_in_executor(processes, trim, COMMENT)))
    beating.cancel()


if __name__ == "__main__":
    asyncio.run(main())
