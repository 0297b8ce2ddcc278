"""This listener is called when the server has started, and a request may be there already.

Breaks: before it takes requests,
Fault: should be opened before its worker takes requests
"""


@app.after_server_start
async def open_redis(app: Sanic) -> None:
    """Open the pool of this worker."""
    pool = aioredis.BlockingConnectionPool.from_url(REDIS_URL, max_connections=CONNECTIONS)
    app.ctx.redis = aioredis.Redis.from_pool(pool)
