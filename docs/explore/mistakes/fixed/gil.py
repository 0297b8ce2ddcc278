"""A text is trimmed in a thread, and the beat goes on."""

import asyncio
import re
from concurrent.futures import ProcessPoolExecutor

TEXT = " " * 8_000 + "."


def trim(text: str) -> str:
    return re.sub(r"\s+$", "", text)


async def beat() -> None:
    while True:
        await asyncio.sleep(0.02)


async def main(pool: ProcessPoolExecutor) -> None:
    beating = asyncio.create_task(beat())
    loop = asyncio.get_running_loop()
    print(len(await loop.run_in_executor(pool, trim, TEXT)))
    beating.cancel()


if __name__ == "__main__":
    with ProcessPoolExecutor(max_workers=1) as pool:
        asyncio.run(main(pool))
