"""The first request of each worker opens the pool.

Breaks: before it takes requests,
Fault: from before the first request
"""


async def open_redis(app: Sanic) -> None:
    """Open the pool of this worker."""
    pool = aioredis.BlockingConnectionPool.from_url(REDIS_URL, max_connections=CONNECTIONS)
    app.ctx.redis = aioredis.Redis.from_pool(pool)


@app.get("/visits")
async def get_visits(request: Request) -> HTTPResponse:
    """Answer with the number of visits, this one included."""
    if not hasattr(request.app.ctx, "redis"):
        await open_redis(request.app)
    return json({"visits": await count_visit(request.app.ctx.redis)})
