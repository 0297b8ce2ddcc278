"""This listener is called when the server begins to stop, and requests may still be in progress.

Breaks: closes it after it has stopped.
Fault: should be closed after its worker has stopped
"""


@app.before_server_stop
async def close_redis(app: Sanic) -> None:
    """Close the pool of this worker."""
    await app.ctx.redis.aclose()
