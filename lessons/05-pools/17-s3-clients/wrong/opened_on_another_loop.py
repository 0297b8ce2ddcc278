"""The client is opened on another event loop, in a thread, that is over before the first request.

Breaks: opened on the server's event loop
Fault: should be opened on the server's event loop
"""


async def opened_client() -> Any:
    """It blocks, since it reads many files."""
    return await Session().client("s3", endpoint_url=S3_URL).__aenter__()


@app.before_server_start
async def open_store(app: Sanic) -> None:
    """Called once, before the first request."""
    app.ctx.s3 = await asyncio.to_thread(asyncio.run, opened_client())


@app.after_server_stop
async def close_store(app: Sanic) -> None:
    """Called once, after the last request."""
    await app.ctx.s3.__aexit__(None, None, None)


@app.post("/images")
async def upload(request: Request) -> HTTPResponse:
    """Answer one request: a form with a file in its field "image"."""
    if not request.files:
        return json({"error": "send a form with a file in its field image"}, status=400)
    image = request.files["image"][0]
    return json({"etag": await put(request.app.ctx.s3, f"{request.id}/{image.name}", image.body)})
