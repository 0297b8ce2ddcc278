"""Right: the gate is made when the server starts, as one did when semaphores were bound to a loop."""

import asyncio
import os
import random

from sanic import HTTPResponse, Request, Sanic, json

CONNECTIONS = 5
FASTEST_MS = 100
SLOWEST_MS = 200
SEED = 0
PORT = int(os.environ.get("PORT", "8000"))

app = Sanic("uploads")
draw = random.Random(SEED)


@app.before_server_start
async def make_gate(app: Sanic) -> None:
    app.ctx.gate = asyncio.Semaphore(CONNECTIONS)


async def send(takes_s: float) -> None:
    """The way over the network to the store. It takes as long as it is told to."""
    await asyncio.sleep(takes_s)


@app.post("/upload")
async def upload(request: Request) -> HTTPResponse:
    """Send the image on to the store, then answer."""
    takes_s = draw.randint(FASTEST_MS, SLOWEST_MS) / 1000
    async with request.app.ctx.gate:
        await send(takes_s)
    return json({"success": True})


def main() -> None:
    app.run(host="127.0.0.1", port=PORT, single_process=True)


if __name__ == "__main__":
    main()
