"""open_redis is called in time, but the first request makes the pool.

Breaks: before it takes requests,
Fault: should be opened before its worker takes requests
"""


@app.before_server_start
async def open_redis(app: Sanic) -> None:
    """Open the pool of this worker."""
    app.ctx.redis = None


@app.after_server_stop
async def close_redis(app: Sanic) -> None:
    """Close the pool of this worker."""
    if app.ctx.redis is not None:
        await app.ctx.redis.aclose()


@app.get("/visits")
async def get_visits(request: Request) -> HTTPResponse:
    """Answer with the number of visits, this one included."""
    ctx = request.app.ctx
    if ctx.redis is None:
        pool = aioredis.BlockingConnectionPool.from_url(REDIS_URL, max_connections=CONNECTIONS)
        ctx.redis = aioredis.Redis.from_pool(pool)
    return json({"visits": await count_visit(ctx.redis)})
