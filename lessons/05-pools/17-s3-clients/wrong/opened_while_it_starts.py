"""A task opens the client, and the server starts to listen meanwhile.

Breaks: before the server takes requests,
Fault: should be opened before the server takes requests
"""


async def open_store(app: Sanic) -> None:
    """Called once, before the first request."""
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    app.ctx.opened = AsyncExitStack()
    app.ctx.s3 = await app.ctx.opened.enter_async_context(Session().client("s3", endpoint_url=S3_URL))


@app.before_server_start
async def begin_to_open(app: Sanic) -> None:
    app.ctx.opening = asyncio.create_task(open_store(app))
