"""Every request asks a cache in Redis. When are its connections opened and closed, and how often?

Predict the pools before you run it:  asyncdemo run lifecycle --variant per_request
"""

import os

from redis import asyncio as aioredis
from sanic import HTTPResponse, Request, Sanic, json

WORKERS = 2
PORT = int(os.environ.get("PORT", "8000"))
REDIS_URL = os.environ.get("REDIS_URL", "redis://127.0.0.1:6379/0")

app = Sanic("cache")


async def open_redis() -> aioredis.Redis:
    return aioredis.from_url(REDIS_URL, decode_responses=True)


async def close_redis(redis: aioredis.Redis) -> None:
    await redis.aclose()


@app.get("/cache")
async def get_cache(request: Request) -> HTTPResponse:
    """Return what is stored under the key. If nothing is, make it and store it."""
    key = request.args.get("key", "")
    redis = await open_redis()
    data = await redis.get(key)
    if data is None:
        data = key.upper()
        await redis.set(key, data)
    await close_redis(redis)
    return json({"data": data})


def main() -> None:
    app.run(host="127.0.0.1", port=PORT, workers=WORKERS)


if __name__ == "__main__":
    main()
