"""The client is made at import, on an event loop that is closed by the time the requests come.

Breaks: opened on the server's event loop
Fault: should be answered with status 200
"""


async def opened() -> Any:
    """A client that is never closed."""
    s3 = await Session().client("s3", endpoint_url=S3_URL).__aenter__()
    await s3.list_objects_v2(Bucket=BUCKET)
    return s3


s3_of_another_loop = asyncio.run(opened())


@app.before_server_start
async def open_store(app: Sanic) -> None:
    """Called once, before the first request."""
    app.ctx.s3 = s3_of_another_loop


@app.after_server_stop
async def close_store(app: Sanic) -> None:
    """Called once, after the last request."""
