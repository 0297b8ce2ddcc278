"""The article's two routes in Sanic: an upload that waits behind a gate, and one that computes.

The lab serves it with Sanic's own server, in one process.
"""

import asyncio
import os
import random
from typing import Any

from sanic import HTTPResponse, Request, Sanic, json

CONNECTIONS = int(os.environ.get("LAB_GATE", "5"))
FASTEST_MS = int(os.environ.get("LAB_FASTEST_MS", "100"))
SLOWEST_MS = int(os.environ.get("LAB_SLOWEST_MS", "200"))
SEED = int(os.environ.get("LAB_SEED", "0"))
NUMBERS = int(os.environ.get("LAB_NUMBERS", "1000000"))

app: Sanic[Any, Any] = Sanic("uploads")
gate = asyncio.Semaphore(CONNECTIONS)
draw = random.Random(SEED)


@app.post("/upload")
async def upload(request: Request) -> HTTPResponse:
    """Send an image on to a store: that is a wait, with one of the connections that the gate lends."""
    takes_s = draw.randint(FASTEST_MS, SLOWEST_MS) / 1000
    async with gate:
        await asyncio.sleep(takes_s)
    return json({"success": True})


@app.get("/calc")
async def calc(request: Request) -> HTTPResponse:
    """No wait at all: the squares of a million numbers, added up."""
    return json({"result": sum([i * i for i in range(NUMBERS)])})


if __name__ == "__main__":
    app.run(port=8000, single_process=True)
