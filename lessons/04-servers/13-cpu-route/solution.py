"""Other processes compute, in a pool that is made before the server starts, and closed after it.

Run it alone with:  python solution.py
"""

import asyncio
import itertools
import multiprocessing
import os
import random
from concurrent.futures import ProcessPoolExecutor

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
    loop = asyncio.get_running_loop()
    return json(await loop.run_in_executor(request.app.ctx.pool, describe, next(pictures), PIXELS))


def main() -> None:
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as app.ctx.pool:
        app.run(host="127.0.0.1", port=PORT, single_process=True)


if __name__ == "__main__":
    main()
