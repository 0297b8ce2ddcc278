"""Twenty images come at the same time. The server puts each into S3: who waits when a client is made?

Predict how long it takes before you run it:  asyncdemo run s3-clients --variant shared
"""

import os
from contextlib import AsyncExitStack

from aioboto3 import Session
from sanic import HTTPResponse, Request, Sanic, json

PORT = int(os.environ.get("PORT", "8000"))
S3_URL = os.environ.get("AWS_ENDPOINT_URL_S3", "http://127.0.0.1:5000")
BUCKET = "asyncdemo"

app = Sanic("images")


@app.before_server_start
async def open_store(app: Sanic) -> None:
    """Make what all requests share."""
    app.ctx.opened = AsyncExitStack()
    app.ctx.s3 = await app.ctx.opened.enter_async_context(Session().client("s3", endpoint_url=S3_URL))


@app.after_server_stop
async def close_store(app: Sanic) -> None:
    """Close what was opened before the server started."""
    await app.ctx.opened.aclose()


async def put(key: str, image: bytes) -> str:
    """Store one image; return the checksum that S3 reports."""
    stored = await app.ctx.s3.put_object(Bucket=BUCKET, Key=key, Body=image)
    return str(stored["ETag"]).strip('"')


@app.post("/images")
async def upload(request: Request) -> HTTPResponse:
    """Answer one request: a form with a file in its field "image"."""
    if not request.files:
        return json({"error": "send a form with a file in its field image"}, status=400)
    image = request.files["image"][0]
    return json({"etag": await put(f"{request.id}/{image.name}", image.body)})


def main() -> None:
    app.run(host="127.0.0.1", port=PORT, single_process=True)


if __name__ == "__main__":
    main()
