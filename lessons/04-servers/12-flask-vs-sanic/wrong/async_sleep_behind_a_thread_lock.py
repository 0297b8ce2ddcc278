"""Wrong: the sixth task waits at a lock for threads, and keeps the only thread: no place is given back."""

import asyncio
import os
import random
import threading

from sanic import HTTPResponse, Request, Sanic, json

CONNECTIONS = 5
FASTEST_MS = 100
SLOWEST_MS = 200
SEED = 0
PORT = int(os.environ.get("PORT", "8000"))

app = Sanic("uploads")
gate = threading.Semaphore(CONNECTIONS)
draw = random.Random(SEED)


async def send(takes_s: float) -> None:
    """The way over the network to the store. It takes as long as it is told to."""
    await asyncio.sleep(takes_s)


@app.post("/upload")
async def upload(request: Request) -> HTTPResponse:
    """Send the image on to the store, then answer."""
    takes_s = draw.randint(FASTEST_MS, SLOWEST_MS) / 1000
    with gate:
        await send(takes_s)
    return json({"success": True})


def main() -> None:
    app.run(host="127.0.0.1", port=PORT, single_process=True)


if __name__ == "__main__":
    main()
