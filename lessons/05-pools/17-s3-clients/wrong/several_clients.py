"""A few clients that take turns. Their connections are pooled already: one client has several.

Breaks: Fix it: one client for all requests
Fault: One S3 client should be made, and shared by all requests
"""

from itertools import cycle


@app.before_server_start
async def open_store(app: Sanic) -> None:
    """Called once, before the first request."""
    app.ctx.opened = AsyncExitStack()
    session = Session()
    clients = [session.client("s3", endpoint_url=S3_URL) for _ in range(4)]
    app.ctx.clients = cycle([await app.ctx.opened.enter_async_context(client) for client in clients])


@app.post("/images")
async def upload(request: Request) -> HTTPResponse:
    """Answer one request: a form with a file in its field "image"."""
    if not request.files:
        return json({"error": "send a form with a file in its field image"}, status=400)
    image = request.files["image"][0]
    return json({"etag": await put(next(app.ctx.clients), f"{request.id}/{image.name}", image.body)})
