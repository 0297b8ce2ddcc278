"""This server was moved from Flask to Sanic: its handler became a coroutine. It is as slow as before.

Fix it: at most CONNECTIONS images are on their way to the store at the same time, and that many while
requests wait. The event loop is never blocked. Every client gets its answer after its image has been sent,
and the answer has the store's receipt for it.

Run it alone with:  python 12-flask-vs-sanic.py
"""

import os
import random
import threading
import time

from sanic import HTTPResponse, Request, Sanic, json

CONNECTIONS = 3
FASTEST_MS = 50
SLOWEST_MS = 150
SEED = 0
PORT = int(os.environ.get("PORT", "8000"))

app = Sanic("uploads")
draw = random.Random(SEED)
gate = threading.Semaphore(CONNECTIONS)  # TODO: which threads does it hold back here?


def send(image: bytes) -> str:
    """The store's own client: it blocks until the store has answered. Leave this function as it is."""
    takes_ms, receipt = draw.randint(FASTEST_MS, SLOWEST_MS), draw.randrange(1_000_000)
    time.sleep(takes_ms / 1000)
    return f"{receipt:06}-{len(image)}"


@app.post("/upload")
async def upload(request: Request) -> HTTPResponse:
    """Send the image on to the store, then answer with the store's receipt."""
    with gate:  # TODO: what else waits when a task waits here?
        receipt = send(request.body)  # TODO: what can the event loop do meanwhile?
    return json({"receipt": receipt})


def main() -> None:
    app.run(host="127.0.0.1", port=PORT, single_process=True)


if __name__ == "__main__":
    main()
