"""Wrong: opened once in each worker, and left to itself."""

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


@app.before_server_start
async def open_redis(app: Sanic) -> None:
    """Open the pool of this worker."""
    pool = aioredis.BlockingConnectionPool.from_url(REDIS_URL, max_connections=CONNECTIONS)
    app.ctx.redis = aioredis.Redis.from_pool(pool)


async def close_redis(app: Sanic) -> None:
    """Close the pool of this worker."""
    await app.ctx.redis.aclose()


@app.get("/visits")
async def get_visits(request: Request) -> HTTPResponse:
    """Answer with the number of visits, this one included."""
    return json({"visits": await count_visit(request.app.ctx.redis)})


def main() -> None:
    app.run(host="127.0.0.1", port=PORT, workers=WORKERS)


if __name__ == "__main__":
    main()
