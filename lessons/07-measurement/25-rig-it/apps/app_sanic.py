"""Sanic: a row as JSON. Served by its own server and by uvicorn."""

import json
from typing import Any

from awaited_rows import row_by_key
from sanic import HTTPResponse, Request, Sanic

app: Sanic[Any, Any] = Sanic("rows")


@app.get("/row")
async def row(request: Request) -> HTTPResponse:
    number, text = await row_by_key()
    return HTTPResponse(json.dumps({"a": f"{number:010}", "b": text}), content_type="application/json")
