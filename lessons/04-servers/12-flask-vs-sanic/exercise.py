"""This server was moved from Flask to Sanic, and it is as slow as before. Mend it.

Never more than CONNECTIONS images are on their way to the store at once, that many are while requests wait,
and the event loop is never blocked. Every client gets its answer after its image has been sent.

Run it alone with:  python exercise.py
"""

import os
import random
import threading
import time

from sanic import HTTPResponse, Request, Sanic, json

CONNECTIONS = 5
FASTEST_MS = 100
SLOWEST_MS = 200
SEED = 0
PORT = int(os.environ.get("PORT", "8000"))

app = Sanic("uploads")
gate = threading.Semaphore(CONNECTIONS)  # TODO: who waits when a task waits here?
draw = random.Random(SEED)


async def send(takes_s: float) -> None:
    """The way over the network to the store. It takes as long as it is told to."""
    time.sleep(takes_s)  # TODO: what can the event loop do meanwhile?


@app.post("/upload")
async def upload(request: Request) -> HTTPResponse:
    """Send the image on to the store, then answer."""
    takes_s = draw.randint(FASTEST_MS, SLOWEST_MS) / 1000
    with gate:  # TODO: the gate is left as it is passed
        await send(takes_s)
    return json({"success": True})


def main() -> None:
    app.run(host="127.0.0.1", port=PORT, single_process=True)


if __name__ == "__main__":
    main()
