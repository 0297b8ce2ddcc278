"""Every request asks a cache in Redis. When are its connections opened and closed, and how often?

Predict the pools before you run it:  asyncdemo run lifecycle --variant lifespan
"""

import os

from hypercorn.config import Config
from hypercorn.run import run
from quart import Quart, current_app, request
from quart.typing import ResponseReturnValue
from redis import asyncio as aioredis

WORKERS = 2
PORT = int(os.environ.get("PORT", "8000"))
REDIS_URL = os.environ.get("REDIS_URL", "redis://127.0.0.1:6379/0")

app = Quart("cache")


@app.before_serving
async def open_redis() -> None:
    app.extensions["redis"] = aioredis.from_url(REDIS_URL, decode_responses=True)


@app.after_serving
async def close_redis() -> None:
    await app.extensions["redis"].aclose()


@app.get("/cache")
async def get_cache() -> ResponseReturnValue:
    """Return what is stored under the key. If nothing is, make it and store it."""
    key = request.args.get("key", "")
    redis = current_app.extensions["redis"]
    data = await redis.get(key)
    if data is None:
        data = key.upper()
        await redis.set(key, data)
    return {"data": data}


def main() -> None:
    config = Config()
    config.bind, config.workers, config.application_path = [f"127.0.0.1:{PORT}"], WORKERS, "__main__:app"
    run(config)


if __name__ == "__main__":
    main()
