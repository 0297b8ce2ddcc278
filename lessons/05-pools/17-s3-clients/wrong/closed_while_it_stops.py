"""A task closes the client while the server is about to stop.

Breaks: closed after it has stopped.
Fault: should be closed after the server has stopped
"""


async def close_store(app: Sanic) -> None:
    """Called once, after the last request."""
    await asyncio.sleep(0)
    await app.ctx.opened.aclose()


@app.before_server_stop
async def begin_to_close(app: Sanic) -> None:
    app.ctx.closing = asyncio.create_task(close_store(app))


@app.after_server_stop
async def wait_until_closed(app: Sanic) -> None:
    await app.ctx.closing
