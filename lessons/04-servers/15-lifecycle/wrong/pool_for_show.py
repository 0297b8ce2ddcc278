"""There is a pool, but each request still opens its own connection.

Breaks: All requests of a worker share its pool,
Fault: should be made in each worker
"""


@app.before_server_start
async def open_redis(app: Sanic) -> None:
    """Open the pool of this worker."""
    pool = aioredis.BlockingConnectionPool.from_url(REDIS_URL, max_connections=CONNECTIONS)
    app.ctx.redis = aioredis.Redis.from_pool(pool)
    await app.ctx.redis.ping()


@app.get("/visits")
async def get_visits(request: Request) -> HTTPResponse:
    """Answer with the number of visits, this one included."""
    redis = aioredis.from_url(REDIS_URL)
    visits = await count_visit(redis)
    await redis.aclose()
    return json({"visits": visits})
