"""Quart: a row as JSON. Served by uvicorn and by Hypercorn."""

import json

from awaited_rows import row_by_key
from quart import Quart, Response

app = Quart(__name__)


@app.get("/row")
async def row() -> Response:
    number, text = await row_by_key()
    return Response(json.dumps({"a": f"{number:010}", "b": text}), mimetype="application/json")
