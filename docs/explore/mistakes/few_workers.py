"""Eight files are read in threads, since reading a file has no async form."""

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor


def read(file: int) -> int:
    time.sleep(0.1)
    return file


async def main() -> None:
    loop = asyncio.get_running_loop()
    with ThreadPoolExecutor(max_workers=2) as pool:
        reads = [loop.run_in_executor(pool, read, file) for file in range(8)]
        print(await asyncio.gather(*reads))


if __name__ == "__main__":
    asyncio.run(main())
