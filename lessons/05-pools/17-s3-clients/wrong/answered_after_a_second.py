"""After a second, a client gets a checksum made here, and its image arrives later.

Breaks: before its request is answered.
Fault: should be stored before its request is answered
"""

import hashlib


@app.before_server_start
async def open_store(app: Sanic) -> None:
    """Called once, before the first request."""
    app.ctx.client = Session().client("s3", endpoint_url=S3_URL)
    app.ctx.s3 = await app.ctx.client.__aenter__()


@app.after_server_stop
async def close_store(app: Sanic) -> None:
    """Called once, after the last request."""
    await app.ctx.client.__aexit__(None, None, None)


@app.post("/images")
async def upload(request: Request) -> HTTPResponse:
    """Answer one request: a form with a file in its field "image"."""
    if not request.files:
        return json({"error": "send a form with a file in its field image"}, status=400)
    image = request.files["image"][0]
    storing = asyncio.create_task(put(request.app.ctx.s3, f"{request.id}/{image.name}", image.body))
    try:
        etag = await asyncio.wait_for(asyncio.shield(storing), timeout=1)
    except TimeoutError:  # it comes later: the client need not wait for it
        etag = await asyncio.to_thread(lambda: hashlib.md5(image.body).hexdigest())
    return json({"etag": etag})
