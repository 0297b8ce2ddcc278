"""Made when it is first needed: any request that comes while it is not ready makes another.

Breaks: opened on the server's event loop
Fault: One S3 client should be made, and shared by all requests
"""


@app.before_server_start
async def open_store(app: Sanic) -> None:
    """Called once, before the first request."""
    app.ctx.opened = AsyncExitStack()
    app.ctx.s3 = None


@app.post("/images")
async def upload(request: Request) -> HTTPResponse:
    """Answer one request: a form with a file in its field "image"."""
    if not request.files:
        return json({"error": "send a form with a file in its field image"}, status=400)
    image = request.files["image"][0]
    if app.ctx.s3 is None:
        client = Session().client("s3", endpoint_url=S3_URL)
        s3 = await app.ctx.opened.enter_async_context(client)
        await s3.head_bucket(Bucket=BUCKET)
        app.ctx.s3 = s3
    return json({"etag": await put(app.ctx.s3, f"{request.id}/{image.name}", image.body)})
