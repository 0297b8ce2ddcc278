"""Wrong: after a second, a client gets a checksum made here, and its image arrives later."""

import asyncio
import hashlib
import os
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
    app.ctx.client = Session().client("s3", endpoint_url=S3_URL)
    app.ctx.s3 = await app.ctx.client.__aenter__()


@app.after_server_stop
async def close_store(app: Sanic) -> None:
    """Called once, after the last request."""
    await app.ctx.client.__aexit__(None, None, None)


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
    storing = asyncio.create_task(put(request.app.ctx.s3, f"{request.id}/{image.name}", image.body))
    try:
        etag = await asyncio.wait_for(asyncio.shield(storing), timeout=1)
    except TimeoutError:  # it comes later: the client need not wait for it
        etag = await asyncio.to_thread(lambda: hashlib.md5(image.body).hexdigest())
    return json({"etag": etag})


def main() -> None:
    app.run(host="127.0.0.1", port=PORT, single_process=True)


if __name__ == "__main__":
    main()
