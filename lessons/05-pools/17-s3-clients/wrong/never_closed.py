"""The client is opened once, and never closed.

Breaks: closed after it has stopped.
Fault: should be closed at the end
"""


@app.before_server_start
async def open_store(app: Sanic) -> None:
    """Called once, before the first request."""
    app.ctx.s3 = await Session().client("s3", endpoint_url=S3_URL).__aenter__()


@app.after_server_stop
async def close_store(app: Sanic) -> None:
    """Called once, after the last request."""
