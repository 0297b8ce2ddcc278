"""This server opens its connections to Redis when it is imported, as many as it likes, and closes none.

Each worker process opens one pool before it takes requests, and closes it after it has stopped. The process
that only starts the workers opens none. All requests of a worker share its pool, which opens at most
CONNECTIONS connections. A request that finds none free waits, and every request is answered.

Run it alone with:  python 15-lifecycle.py
"""

import os

from redis import asyncio as aioredis
from sanic import HTTPResponse, Request, Sanic, json

WORKERS = 2
CONNECTIONS = 2
PORT = int(os.environ.get("PORT", "8000"))
REDIS_URL = os.environ.get("REDIS_URL", "redis://127.0.0.1:6379/0")

app = Sanic("visits")


async def count_visit(redis: aioredis.Redis) -> int:
    """Count one more visit; return how many there have been. Leave this function as it is."""
    return int(await redis.incr("visits"))


# TODO: write this function. When is it called, and in which process?
async def open_redis(app: Sanic) -> None:
    """Open the pool of this worker."""


# TODO: and this one.
async def close_redis(app: Sanic) -> None:
    """Close the pool of this worker."""


# TODO: which processes import this module? And who closes what is opened here?
app.ctx.redis = aioredis.from_url(REDIS_URL)


@app.get("/visits")
async def get_visits(request: Request) -> HTTPResponse:
    """Answer with the number of visits, this one included."""
    return json({"visits": await count_visit(request.app.ctx.redis)})


def main() -> None:
    app.run(host="127.0.0.1", port=PORT, workers=WORKERS)


if __name__ == "__main__":
    main()
