"""Wrong: the checksum is worked out here, and nothing is stored."""

import asyncio
import os
from contextlib import AsyncExitStack
from hashlib import md5
from typing import Any

from aioboto3 import Session
from sanic import HTTPResponse, Request, Sanic, json

PORT = int(os.environ.get("PORT", "8000"))
S3_URL = os.environ.get("AWS_ENDPOINT_URL_S3", "http://127.0.0.1:5000")
BUCKET = "asyncdemo"
NETWORK_S = 0.1

app = Sanic("images")


@app.before_server_start
async def open_store(app: Sanic) -> None:
    """Called once, before the first request."""
    app.ctx.opened = AsyncExitStack()
    app.ctx.s3 = await app.ctx.opened.enter_async_context(Session().client("s3", endpoint_url=S3_URL))


@app.after_server_stop
async def close_store(app: Sanic) -> None:
    """Called once, after the last request."""
    await app.ctx.opened.aclose()


async def put(s3: Any, key: str, image: bytes) -> str:
    """Store one image; return the checksum that S3 reports. Leave this function as it is."""
    await asyncio.sleep(NETWORK_S)
    stored = await s3.put_object(Bucket=BUCKET, Key=key, Body=image)
    return str(stored["ETag"]).strip('"')


@app.post("/images")
async def upload(request: Request) -> HTTPResponse:
    """Answer one request: a form with a file in its field "image"."""
    if not request.files:
        return json({"error": "send a form with a file in its field image"}, status=400)
    image = request.files["image"][0]
    return json({"etag": md5(image.body).hexdigest()})


def main() -> None:
    app.run(host="127.0.0.1", port=PORT, single_process=True)


if __name__ == "__main__":
    main()
