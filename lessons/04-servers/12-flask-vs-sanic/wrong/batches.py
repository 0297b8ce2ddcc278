"""Wrong: images are sent in batches, and a batch waits for the slowest image of the one before."""

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
batch: list[tuple[bytes, asyncio.Future[str]]] = []
one_batch = asyncio.Lock()


def send(image: bytes) -> str:
    """The store's own client: it blocks until the store has answered. Leave this function as it is."""
    takes_ms, receipt = draw.randint(FASTEST_MS, SLOWEST_MS), draw.randrange(1_000_000)
    time.sleep(takes_ms / 1000)
    return f"{receipt:06}-{len(image)}"


@app.post("/upload")
async def upload(request: Request) -> HTTPResponse:
    """Send the image on to the store, then answer with the store's receipt."""
    answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    batch.append((request.body, answer))
    async with one_batch:
        now, batch[:] = batch[:CONNECTIONS], batch[CONNECTIONS:]
        receipts = await asyncio.gather(*(asyncio.to_thread(send, image) for image, _ in now))
        for (_, its), sent in zip(now, receipts, strict=True):
            its.set_result(sent)
    receipt = await answer
    return json({"receipt": receipt})


def main() -> None:
    app.run(host="127.0.0.1", port=PORT, single_process=True)


if __name__ == "__main__":
    main()
