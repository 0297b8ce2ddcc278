"""Eight files are read in threads."""

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor


def load(file: int) -> int:
    time.sleep(0.1)
    return file


async def read(file: int, pool: ThreadPoolExecutor) -> int:
    loop = asyncio.get_running_loop()
    return await loop.run_in_executor(pool, load, file)


async def main() -> None:
    with ThreadPoolExecutor(max_workers=8) as pool:
        reads = [read(n, pool) for n in range(8)]
        print(await asyncio.gather(*reads))


if __name__ == "__main__":
    asyncio.run(main())
