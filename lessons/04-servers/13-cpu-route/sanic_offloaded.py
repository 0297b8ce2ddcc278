"""Among many uploads, some requests compute: what do they do to the uploads, in other processes?

Predict the slowest upload before you run it:  asyncdemo run cpu-route --variant offloaded
"""

import asyncio
import multiprocessing
import os
import random
from concurrent.futures import ProcessPoolExecutor

from sanic import HTTPResponse, Request, Sanic, json

FASTEST_MS = 100
SLOWEST_MS = 200
SQUARES = 1_000_000
SEED = 0
PORT = int(os.environ.get("PORT", "8000"))

app = Sanic("uploads")
draw = random.Random(SEED)


def sum_of_squares(n: int) -> int:
    return sum([i**2 for i in range(n)])


@app.post("/upload")
async def upload(request: Request) -> HTTPResponse:
    """Send the image on to the store."""
    await asyncio.sleep(draw.randint(FASTEST_MS, SLOWEST_MS) / 1000)
    return json({"success": True})


@app.get("/calc")
async def calc(request: Request) -> HTTPResponse:
    loop = asyncio.get_running_loop()
    return json({"result": await loop.run_in_executor(request.app.ctx.pool, sum_of_squares, SQUARES)})


def main() -> None:
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as app.ctx.pool:
        list(app.ctx.pool.map(sum_of_squares, [1, 1]))  # processes start now, not during a request
        app.run(host="127.0.0.1", port=PORT, single_process=True)


if __name__ == "__main__":
    main()
