"""Opened and closed properly, but by each request.

Breaks: All requests of a worker share its pool,
Fault: should call open_redis once
"""


async def open_redis(app: Request) -> None:
    """Open the pool of this worker."""
    pool = aioredis.BlockingConnectionPool.from_url(REDIS_URL, max_connections=CONNECTIONS)
    app.ctx.redis = aioredis.Redis.from_pool(pool)


async def close_redis(app: Request) -> None:
    """Close the pool of this worker."""
    await app.ctx.redis.aclose()


@app.get("/visits")
async def get_visits(request: Request) -> HTTPResponse:
    """Answer with the number of visits, this one included."""
    await open_redis(request)
    try:
        return json({"visits": await count_visit(request.ctx.redis)})
    finally:
        await close_redis(request)
