"""Quart: a row as JSON. Served by uvicorn and by Hypercorn."""

import json

from async_db import get_row
from quart import Quart, Response

app = Quart(__name__)


@app.get("/test")
async def test() -> Response:
    a, b = await get_row()
    return Response(json.dumps({"a": f"{a:010}", "b": b}), mimetype="application/json")
