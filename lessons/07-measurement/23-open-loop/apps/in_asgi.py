"""Hello world as text, in no framework at all: an ASGI app, which any ASGI server can call.

Served by uvicorn, one process: ``uvicorn in_asgi:app``. ``/later`` waits before it answers.
"""

import asyncio
import os
from typing import Any

DELAY_S = float(os.environ.get("LAB_DELAY_MS", "1000")) / 1000


async def hello(send: Any) -> None:
    await answer(send, b"Hello, world!")


async def later(send: Any) -> None:
    await asyncio.sleep(DELAY_S)
    await answer(send, b"Hello, later!")


async def answer(send: Any, text: bytes) -> None:
    headers = [
        (b"content-type", b"text/plain; charset=utf-8"),
        (b"content-length", str(len(text)).encode()),
    ]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": text})


async def app(scope: dict[str, Any], receive: Any, send: Any) -> None:
    if scope["type"] == "http":
        await (later if scope["path"] == "/later" else hello)(send)
