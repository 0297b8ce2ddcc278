"""Every few requests, all uploads of this server stall. Find the line that does it, and fix the server.

Another process calls brightness, once for each description: one ProcessPoolExecutor, shared by all requests.
All requests get the right answers, and the event loop is never blocked for 50 ms.

Run it alone with:  python 13-cpu-route.py
"""

import asyncio
import itertools
import os
import random

from sanic import HTTPResponse, Request, Sanic, json

FASTEST_MS = 50
SLOWEST_MS = 100
PIXELS = 2_500_000
SEED = 0
PORT = int(os.environ.get("PORT", "8000"))

app = Sanic("uploads")
draw = random.Random(SEED)
pictures = itertools.count(1)


def brightness(picture: int, pixels: int) -> int:
    """Add up the pixels of a picture. It only computes. Leave this function as it is."""
    return sum([picture * pixel % 251 for pixel in range(pixels)])


def describe(picture: int, pixels: int) -> dict[str, int]:
    return {"picture": picture, "brightness": brightness(picture, pixels)}


@app.post("/upload")
async def upload(request: Request) -> HTTPResponse:
    """Send an image on to the store."""
    await asyncio.sleep(draw.randint(FASTEST_MS, SLOWEST_MS) / 1000)
    return json({"success": True})


@app.get("/describe")
async def described(request: Request) -> HTTPResponse:
    """Describe the next picture."""
    return json(describe(next(pictures), PIXELS))  # TODO: what computes here, and what waits meanwhile?


def main() -> None:
    # TODO: what has to be there before the first request comes, and until after the last one?
    app.run(host="127.0.0.1", port=PORT, single_process=True)


if __name__ == "__main__":
    main()
