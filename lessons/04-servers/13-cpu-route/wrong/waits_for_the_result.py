"""Wrong: another process computes, but the handler blocks the loop until it is done."""

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


@app.before_server_start
async def open_pool(app: Sanic) -> None:
    app.ctx.pool = ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn"))


@app.after_server_stop
async def close_pool(app: Sanic) -> None:
    app.ctx.pool.shutdown()


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
    return json(request.app.ctx.pool.submit(describe, PIXELS).result())


def main() -> None:
    app.run(host="127.0.0.1", port=PORT, single_process=True)


if __name__ == "__main__":
    main()
