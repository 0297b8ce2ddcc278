"""Each worker counts by itself, and asks Redis for nothing.

Breaks: Count one more visit; return how many there have been.
Breaks: Leave this function as it is.
Breaks: Answer with the number of visits, this one included.
Fault: should be a number from 1 to
"""

import itertools

visits = itertools.count(1)


@app.before_server_start
async def open_redis(app: Sanic) -> None:
    """Open the pool of this worker."""
    pool = aioredis.BlockingConnectionPool.from_url(REDIS_URL, max_connections=CONNECTIONS)
    app.ctx.redis = aioredis.Redis.from_pool(pool)
    await app.ctx.redis.ping()


@app.get("/visits")
async def get_visits(request: Request) -> HTTPResponse:
    """Answer with the number of visits, this one included."""
    return json({"visits": next(visits)})
