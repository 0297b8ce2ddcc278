"""A pool of the right size that does not wait: a request that finds no connection free fails.

Breaks: A request that finds none free waits,
Breaks: every request is answered.
Fault: should be answered with status 200
"""


@app.before_server_start
async def open_redis(app: Sanic) -> None:
    """Open the pool of this worker."""
    app.ctx.redis = aioredis.from_url(REDIS_URL, max_connections=CONNECTIONS)
