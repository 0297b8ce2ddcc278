"""The pool opens a connection for every request that finds none free.

Breaks: which opens at most CONNECTIONS connections.
Fault: connections
"""


@app.before_server_start
async def open_redis(app: Sanic) -> None:
    """Open the pool of this worker."""
    app.ctx.redis = aioredis.from_url(REDIS_URL)
