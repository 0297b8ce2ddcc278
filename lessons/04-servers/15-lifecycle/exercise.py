"""This cache opens its connections to Redis while it is being imported, and never closes them. Mend it.

Each worker process opens one pool before it takes requests, and closes it after it has stopped. All requests
of a worker share that pool. The process that only starts the workers opens none.

Run it alone with:  python exercise.py
"""

import os

from redis import asyncio as aioredis
from sanic import HTTPResponse, Request, Sanic, json

WORKERS = 2
PORT = int(os.environ.get("PORT", "8000"))
REDIS_URL = os.environ.get("REDIS_URL", "redis://127.0.0.1:6379/0")

app = Sanic("cache")


# TODO: when is this called, and by whom?
async def open_redis(app: Sanic) -> None:
    """To be called once in each worker, before it takes requests."""
    app.ctx.redis = aioredis.from_url(REDIS_URL, decode_responses=True)


# TODO: and this?
async def close_redis(app: Sanic) -> None:
    """To be called once in each worker, after it has stopped."""
    await app.ctx.redis.aclose()


# TODO: who imports this module, and how often? Who closes what is opened here?
app.ctx.redis = aioredis.from_url(REDIS_URL, decode_responses=True)


@app.get("/cache")
async def get_cache(request: Request) -> HTTPResponse:
    """What is kept under the key; what is not there yet is made and kept."""
    key = request.args.get("key", "")
    redis = request.app.ctx.redis
    data = await redis.get(key)
    if data is None:
        data = key.upper()
        await redis.set(key, data)
    return json({"data": data})


def main() -> None:
    app.run(host="127.0.0.1", port=PORT, workers=WORKERS)


if __name__ == "__main__":
    main()
