"""Fifty clients upload to Sanic, with a task for each connection: how long until all have their answer?

Predict the seconds and the peak before you run it:  asyncdemo run flask-vs-sanic --variant awaited
"""

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
gate = asyncio.Semaphore(CONNECTIONS)
draw = random.Random(SEED)


@app.post("/upload")
async def upload(request: Request) -> HTTPResponse:
    """Send the image on to the store, through one of the connections that the gate gives out."""
    takes_s = draw.randint(FASTEST_MS, SLOWEST_MS) / 1000
    async with gate:
        await asyncio.sleep(takes_s)
    return json({"success": True})


def main() -> None:
    app.run(host="127.0.0.1", port=PORT, single_process=True)


if __name__ == "__main__":
    main()
