"""Right: the listeners are registered by calls, and the pool is closed itself."""

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


async def open_redis(app: Sanic) -> None:
    """Open the pool of this worker."""
    app.ctx.pool = aioredis.BlockingConnectionPool.from_url(
        REDIS_URL, max_connections=CONNECTIONS, timeout=None
    )
    app.ctx.redis = aioredis.Redis(connection_pool=app.ctx.pool)


async def close_redis(app: Sanic) -> None:
    """Close the pool of this worker."""
    await app.ctx.redis.aclose()
    await app.ctx.pool.disconnect()


app.register_listener(open_redis, "before_server_start")
app.register_listener(close_redis, "after_server_stop")


@app.get("/visits")
async def get_visits(request: Request) -> HTTPResponse:
    """Answer with the number of visits, this one included."""
    return json({"visits": await count_visit(request.app.ctx.redis)})


def main() -> None:
    app.run(host="127.0.0.1", port=PORT, workers=WORKERS)


if __name__ == "__main__":
    main()
