"""Two servers query one database. Choose settings so that each wins once, at least 1.5 times as fast.

The winner must have enough clients to fill all its places. Change nothing except the settings.

Run it alone with:  python 25-rig-it.py
"""

import asyncio
import threading
import time
from collections.abc import Iterator

REQUESTS = 36
ROUNDS = 3


def sync_wins() -> dict[str, int]:
    """The sync server wins. Bounds: workers and sessions 2 to 12, delay_ms 50 to 100, clients 2 to 24."""
    # TODO: which limit does each server meet first?
    return {"workers": 12, "sessions": 4, "delay_ms": 50, "clients": 4}


def async_wins() -> dict[str, int]:
    """The async server wins. The bounds are the same."""
    return {"workers": 4, "sessions": 4, "delay_ms": 100, "clients": 24}  # TODO: does a longer query help?


def sync_query(delay_ms: int) -> None:
    time.sleep(delay_ms / 1000)


def sync_client(numbers: Iterator[int], workers: threading.Semaphore, delay_ms: int) -> None:
    for _ in numbers:
        with workers:  # each has its own session
            sync_query(delay_ms)


def sync_server(workers: int, delay_ms: int, clients: int) -> None:
    shared = (iter(range(REQUESTS)), threading.Semaphore(workers), delay_ms)
    threads = [threading.Thread(target=sync_client, args=shared) for _ in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


async def async_query(delay_ms: int) -> None:
    await asyncio.sleep(delay_ms / 1000)


async def async_client(numbers: Iterator[int], sessions: asyncio.Semaphore, delay_ms: int) -> None:
    for _ in numbers:
        async with sessions:
            await async_query(delay_ms)


async def async_server(sessions: int, delay_ms: int, clients: int) -> None:
    shared = (iter(range(REQUESTS)), asyncio.Semaphore(sessions), delay_ms)
    await asyncio.gather(*(async_client(*shared) for _ in range(clients)))


def main() -> None:
    for wins in (sync_wins(), async_wins()):
        for _ in range(ROUNDS):
            sync_server(wins["workers"], wins["delay_ms"], wins["clients"])
            asyncio.run(async_server(wins["sessions"], wins["delay_ms"], wins["clients"]))


if __name__ == "__main__":
    main()
