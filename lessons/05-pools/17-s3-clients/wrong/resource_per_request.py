"""A resource instead of a client, but each request still makes one for itself.

Breaks: Fix it: one client for all requests
Fault: One S3 client should be made, and shared by all requests
"""


@app.before_server_start
async def open_store(app: Sanic) -> None:
    """Called once, before the first request."""


@app.after_server_stop
async def close_store(app: Sanic) -> None:
    """Called once, after the last request."""


@app.post("/images")
async def upload(request: Request) -> HTTPResponse:
    """Answer one request: a form with a file in its field "image"."""
    if not request.files:
        return json({"error": "send a form with a file in its field image"}, status=400)
    image = request.files["image"][0]
    async with Session().resource("s3", endpoint_url=S3_URL) as resource:
        return json({"etag": await put(resource.meta.client, f"{request.id}/{image.name}", image.body)})
