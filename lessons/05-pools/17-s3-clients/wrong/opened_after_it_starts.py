"""This listener is called when the server takes requests already, which wait while it blocks.

Breaks: before the server takes requests,
Fault: should be opened before the server takes requests
"""


@app.after_server_start
async def open_store(app: Sanic) -> None:
    """Called once, before the first request."""
    app.ctx.opened = AsyncExitStack()
    app.ctx.s3 = await app.ctx.opened.enter_async_context(Session().client("s3", endpoint_url=S3_URL))
