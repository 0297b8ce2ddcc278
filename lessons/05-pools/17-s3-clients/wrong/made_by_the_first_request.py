"""The first request makes the client, when the server takes requests already, and blocks its loop.

Breaks: before the server takes requests,
Fault: should be opened before the server takes requests
"""


@app.before_server_start
async def open_store(app: Sanic) -> None:
    """Called once, before the first request."""
    app.ctx.opened = AsyncExitStack()
    app.ctx.s3 = None
    app.ctx.opening = asyncio.Lock()


@app.post("/images")
async def upload(request: Request) -> HTTPResponse:
    """Answer one request: a form with a file in its field "image"."""
    if not request.files:
        return json({"error": "send a form with a file in its field image"}, status=400)
    image = request.files["image"][0]
    async with app.ctx.opening:
        if app.ctx.s3 is None:
            client = Session().client("s3", endpoint_url=S3_URL)
            app.ctx.s3 = await app.ctx.opened.enter_async_context(client)
    return json({"etag": await put(app.ctx.s3, f"{request.id}/{image.name}", image.body)})
