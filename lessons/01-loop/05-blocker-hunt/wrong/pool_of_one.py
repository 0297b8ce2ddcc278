"""Wrong: the calls have a thread to run in, but only one for all."""

import asyncio
import hashlib
import random
import socket
import time
from concurrent.futures import ThreadPoolExecutor

CULPRIT = "postage"
ORDERS = 4
SILENCE_S = 0.4
SEED = 0

prices = random.Random(SEED)


pool = ThreadPoolExecutor(1)


async def reserve(n: int) -> None:
    """Take the goods off the shelf."""
    await asyncio.sleep(0.1)


def print_label(n: int) -> str:
    """The printer is slow."""
    time.sleep(0.1)
    return f"parcel {n}"


def postage(n: int, office: socket.socket) -> int:
    """Ask the post office what it charges, in cents. If it doesn't answer in time, estimate."""
    with socket.create_connection(office.getsockname()) as line:
        line.settimeout(SILENCE_S)
        try:
            return int(line.recv(16))
        except TimeoutError:
            return prices.randint(300, 900)


def seal(text: str) -> str:
    """Compute a checksum in a thousand rounds."""
    for _ in range(1_000):
        text = hashlib.sha256(text.encode()).hexdigest()
    return text[:8]


async def ship(n: int, office: socket.socket) -> str:
    """Ship one order."""
    await reserve(n)
    label = await asyncio.to_thread(print_label, n)
    cents = await asyncio.get_running_loop().run_in_executor(pool, postage, n, office)
    return f"{label}, {cents} cents, sealed {seal(label)}"


async def main() -> list[str]:
    """Ship all orders at the same time; return what ship returned, in order."""
    with socket.create_server(("127.0.0.1", 0)) as office:
        async with asyncio.TaskGroup() as group:
            parcels = [group.create_task(ship(n, office)) for n in range(1, ORDERS + 1)]
        return [parcel.result() for parcel in parcels]


if __name__ == "__main__":
    print(*asyncio.run(main()), sep="\n")
