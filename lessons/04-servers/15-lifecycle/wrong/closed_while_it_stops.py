"""A task closes the pool while the worker is about to stop.

Breaks: closes it after it has stopped.
Fault: should be closed after its worker has stopped
"""

import asyncio


async def close_redis(app: Sanic) -> None:
    """Close the pool of this worker."""
    await asyncio.sleep(0)
    await app.ctx.redis.aclose()


@app.before_server_stop
async def begin_to_close(app: Sanic) -> None:
    app.ctx.closing = asyncio.create_task(close_redis(app))


@app.after_server_stop
async def wait_until_closed(app: Sanic) -> None:
    await app.ctx.closing
