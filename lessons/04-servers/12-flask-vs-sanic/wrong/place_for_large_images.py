"""Wrong: one connection takes only large images, and stays free while small ones wait."""

import asyncio
import os
import random
import time
from concurrent.futures import ThreadPoolExecutor

from sanic import HTTPResponse, Request, Sanic, json

CONNECTIONS = 3
FASTEST_MS = 50
SLOWEST_MS = 150
SEED = 0
PORT = int(os.environ.get("PORT", "8000"))

app = Sanic("uploads")
draw = random.Random(SEED)
for_large = ThreadPoolExecutor(max_workers=1)
for_others = ThreadPoolExecutor(max_workers=CONNECTIONS - 1)


def send(image: bytes) -> str:
    """The store's own client: it blocks until the store has answered. Leave this function as it is."""
    takes_ms, receipt = draw.randint(FASTEST_MS, SLOWEST_MS), draw.randrange(1_000_000)
    time.sleep(takes_ms / 1000)
    return f"{receipt:06}-{len(image)}"


@app.post("/upload")
async def upload(request: Request) -> HTTPResponse:
    """Send the image on to the store, then answer with the store's receipt."""
    connections = for_large if len(request.body) > 12 else for_others
    receipt = await asyncio.get_running_loop().run_in_executor(connections, send, request.body)
    return json({"receipt": receipt})


def main() -> None:
    app.run(host="127.0.0.1", port=PORT, single_process=True)


if __name__ == "__main__":
    main()
