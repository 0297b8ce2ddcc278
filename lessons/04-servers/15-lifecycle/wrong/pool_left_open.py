"""The client is closed, but it does not own the pool, so the connections stay open.

Breaks: closes it after it has stopped.
Fault: should be closed at the end
"""


@app.before_server_start
async def open_redis(app: Sanic) -> None:
    """Open the pool of this worker."""
    pool = aioredis.BlockingConnectionPool.from_url(REDIS_URL, max_connections=CONNECTIONS)
    app.ctx.redis = aioredis.Redis(connection_pool=pool)
