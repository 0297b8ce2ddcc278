"""Opened once in each worker, and left to itself.

Breaks: closes it after it has stopped.
Breaks: Close the pool of this worker.
Fault: closings
"""


async def close_redis(app: Sanic) -> None:
    """Close the pool of this worker."""
    await app.ctx.redis.aclose()
