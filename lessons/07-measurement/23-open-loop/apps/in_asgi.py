"""Hello world as text, in no framework at all: an ASGI app, which any ASGI server can call.

Served by uvicorn, one process: ``uvicorn in_asgi:app``.
"""

from typing import Any


async def app(scope: dict[str, Any], receive: Any, send: Any) -> None:
    if scope["type"] != "http":
        return
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", b"13")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": b"Hello, world!"})
