"""Hello world in Sanic."""

import asyncio
from typing import Any

from sanic import HTTPResponse, Request, Sanic, text

app: Sanic[Any, Any] = Sanic("hello")


@app.get("/")
async def hello(request: Request) -> HTTPResponse:
    return text("hello")


@app.get("/loop")
async def loop(request: Request) -> HTTPResponse:
    return text(type(asyncio.get_running_loop()).__module__.partition(".")[0])
