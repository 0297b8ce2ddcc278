"""Computing is done by other processes, which are started before the server and ended after it.

Run it alone with:  python solution.py
"""

import asyncio
import multiprocessing
import os
import random
from concurrent.futures import ProcessPoolExecutor

from sanic import HTTPResponse, Request, Sanic, json

FASTEST_MS = 50
SLOWEST_MS = 100
PIXELS = 3_000_000
SEED = 0
PORT = int(os.environ.get("PORT", "8000"))

app = Sanic("uploads")
draw = random.Random(SEED)


def brightness(pixels: int) -> int:
    """Pure computing; leave it as it is."""
    return sum([pixel % 251 for pixel in range(pixels)])


def describe(pixels: int) -> dict[str, int]:
    return {"pixels": pixels, "brightness": brightness(pixels)}


@app.post("/upload")
async def upload(request: Request) -> HTTPResponse:
    """Send the image on to the store."""
    await asyncio.sleep(draw.randint(FASTEST_MS, SLOWEST_MS) / 1000)
    return json({"success": True})


@app.get("/describe")
async def described(request: Request) -> HTTPResponse:
    loop = asyncio.get_running_loop()
    return json(await loop.run_in_executor(request.app.ctx.pool, describe, PIXELS))


def main() -> None:
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as app.ctx.pool:
        app.run(host="127.0.0.1", port=PORT, single_process=True)


if __name__ == "__main__":
    main()
