"""Right: as many workers as connections take the images from a queue. They go on until the server ends."""

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
jobs: asyncio.Queue[tuple[bytes, asyncio.Future[str]]] = asyncio.Queue()


def send(image: bytes) -> str:
    """The store's own client: it blocks until the store has answered. Leave this function as it is."""
    takes_ms, receipt = draw.randint(FASTEST_MS, SLOWEST_MS), draw.randrange(1_000_000)
    time.sleep(takes_ms / 1000)
    return f"{receipt:06}-{len(image)}"


async def work() -> None:
    while True:
        image, answer = await jobs.get()
        answer.set_result(await asyncio.to_thread(send, image))


@app.before_server_start
async def start_workers(app: Sanic) -> None:
    for _ in range(CONNECTIONS):
        app.add_task(work())


@app.post("/upload")
async def upload(request: Request) -> HTTPResponse:
    """Send the image on to the store, then answer with the store's receipt."""
    answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    await jobs.put((request.body, answer))
    receipt = await answer
    return json({"receipt": receipt})


def main() -> None:
    app.run(host="127.0.0.1", port=PORT, single_process=True)


if __name__ == "__main__":
    main()
