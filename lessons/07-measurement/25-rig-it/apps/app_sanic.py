"""Sanic: a row as JSON. Served by its own server and by uvicorn."""

import json
from typing import Any

from async_db import get_row
from sanic import HTTPResponse, Request, Sanic

app: Sanic[Any, Any] = Sanic("test")


@app.get("/test")
async def test(request: Request) -> HTTPResponse:
    a, b = await get_row()
    return HTTPResponse(json.dumps({"a": f"{a:010}", "b": b}), content_type="application/json")
