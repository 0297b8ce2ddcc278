"""Wrong: the images wait in a list, and each request sends the newest one, which may be another's."""

import asyncio
import os
import random
import time

from sanic import HTTPResponse, Request, Sanic, json

CONNECTIONS = 3
FASTEST_MS = 50
SLOWEST_MS = 150
SEED = 0
PORT = int(os.environ.get("PORT", "8000"))

app = Sanic("uploads")
draw = random.Random(SEED)
gate = asyncio.Semaphore(CONNECTIONS)
images: list[bytes] = []


def send(image: bytes) -> str:
    """The store's own client: it blocks until the store has answered. Leave this function as it is."""
    takes_ms, receipt = draw.randint(FASTEST_MS, SLOWEST_MS), draw.randrange(1_000_000)
    time.sleep(takes_ms / 1000)
    return f"{receipt:06}-{len(image)}"


@app.post("/upload")
async def upload(request: Request) -> HTTPResponse:
    """Send the image on to the store, then answer with the store's receipt."""
    images.append(request.body)
    async with gate:
        receipt = await asyncio.to_thread(send, images.pop())
    return json({"receipt": receipt})


def main() -> None:
    app.run(host="127.0.0.1", port=PORT, single_process=True)


if __name__ == "__main__":
    main()
