"""The `async with` closes the client before the server starts; what it opens after that stays open.

Breaks: closed after it has stopped.
Fault: opened new connections, and nothing closes those
"""


@app.before_server_start
async def open_store(app: Sanic) -> None:
    """Called once, before the first request."""
    async with Session().client("s3", endpoint_url=S3_URL) as s3:
        app.ctx.s3 = s3


@app.after_server_stop
async def close_store(app: Sanic) -> None:
    """Called once, after the last request."""
    app.ctx.s3 = None


@app.post("/images")
async def upload(request: Request) -> HTTPResponse:
    """Answer one request: a form with a file in its field "image"."""
    if not request.files:
        return json({"error": "send a form with a file in its field image"}, status=400)
    image = request.files["image"][0]
    etag = await put(request.app.ctx.s3, f"{request.id}/{image.name}", image.body)
    return json({"etag": etag})
