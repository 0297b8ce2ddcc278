"""Four prices, each asked for in its own task: how many questions are open at the same time?

Predict the number, and the seconds, before you run it:  python inline.py
"""

import asyncio
import threading
import time
from socketserver import ThreadingMixIn
from xmlrpc.client import ServerProxy
from xmlrpc.server import SimpleXMLRPCServer

PRICES = 4
ANSWER_S = 0.3
BEAT_S = 0.05


class PriceServer(ThreadingMixIn, SimpleXMLRPCServer):
    """Somebody else's program. It has a thread for each question, so it can answer many at the same time."""

    request_queue_size = 100


def answer(n: object) -> str:
    """What that program does with one question. None of this is ours to change."""
    time.sleep(ANSWER_S)
    return f"{n}.50"


async def price(n: int, shop: ServerProxy) -> object:
    """Ask for one price. The library is xmlrpc.client, which looks like any object with methods."""
    with shop:
        return shop.price(n)


async def heartbeat() -> None:
    """Something else that lives on the same event loop and wants a turn every BEAT_S seconds."""
    while True:
        await asyncio.sleep(BEAT_S)


async def main(url: str) -> None:
    heart = asyncio.create_task(heartbeat())
    async with asyncio.TaskGroup() as group:
        prices = [group.create_task(price(n, ServerProxy(url))) for n in range(1, PRICES + 1)]
    heart.cancel()
    print("prices:", *(task.result() for task in prices))


if __name__ == "__main__":
    with PriceServer(("127.0.0.1", 0), logRequests=False) as server:
        server.register_function(answer, "price")
        threading.Thread(target=server.serve_forever, args=(0.01,)).start()
        try:
            asyncio.run(main(f"http://127.0.0.1:{server.server_address[1]}"))
        finally:
            server.shutdown()
