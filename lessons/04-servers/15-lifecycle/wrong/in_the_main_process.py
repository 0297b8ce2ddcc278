"""The listeners of the main process run once, in the process that takes no request.

Breaks: Each worker process opens one pool
Fault: should be answered with status 200
"""


@app.main_process_start
async def open_redis(app: Sanic) -> None:
    """Open the pool of this worker."""
    pool = aioredis.BlockingConnectionPool.from_url(REDIS_URL, max_connections=CONNECTIONS)
    app.ctx.redis = aioredis.Redis.from_pool(pool)


@app.main_process_stop
async def close_redis(app: Sanic) -> None:
    """Close the pool of this worker."""
    await app.ctx.redis.aclose()
