"""Wrong: while the pool has enough to do, a thread of the server computes."""

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
WORKERS = 2

app = Sanic("uploads")
draw = random.Random(SEED)
pictures = itertools.count(1)


def brightness(picture: int, pixels: int) -> int:
    """Add up the pixels of a picture. It only computes. Leave this function as it is."""
    return sum([picture * pixel % 251 for pixel in range(pixels)])


in_pool: list[int] = []


async def describe(picture: int, pixels: int) -> dict[str, int]:
    """By the pool; a thread helps out while the pool has enough to do."""
    if len(in_pool) >= 2 * WORKERS:
        return {"picture": picture, "brightness": await asyncio.to_thread(brightness, picture, pixels)}
    in_pool.append(picture)
    try:
        work = asyncio.get_running_loop().run_in_executor(app.ctx.pool, brightness, picture, pixels)
        return {"picture": picture, "brightness": await work}
    finally:
        in_pool.remove(picture)


@app.post("/upload")
async def upload(request: Request) -> HTTPResponse:
    """Send an image on to the store."""
    await asyncio.sleep(draw.randint(FASTEST_MS, SLOWEST_MS) / 1000)
    return json({"success": True})


@app.get("/describe")
async def described(request: Request) -> HTTPResponse:
    """Describe the next picture."""
    return json(await describe(next(pictures), PIXELS))


def main() -> None:
    # Forked here: there are no threads, no sockets and no event loop yet.
    with ProcessPoolExecutor(WORKERS, mp_context=multiprocessing.get_context("fork")) as pool:
        pool.submit(os.getpid).result()
        app.ctx.pool = pool
        app.run(host="127.0.0.1", port=PORT, single_process=True)


if __name__ == "__main__":
    main()
