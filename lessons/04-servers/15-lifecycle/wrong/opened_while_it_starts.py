"""A task opens the pool, and the worker starts to listen meanwhile.

Breaks: before it takes requests,
Fault: should be opened before its worker takes requests
"""

import asyncio


async def open_redis(app: Sanic) -> None:
    """Open the pool of this worker."""
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    pool = aioredis.BlockingConnectionPool.from_url(REDIS_URL, max_connections=CONNECTIONS)
    app.ctx.redis = aioredis.Redis.from_pool(pool)


@app.before_server_start
async def begin_to_open(app: Sanic) -> None:
    app.ctx.opening = asyncio.create_task(open_redis(app))
