"""aioflask, which is Flask with coroutines for views: a row as JSON. Served by uvicorn."""

import json

from aioflask import Flask
from async_db import get_row
from flask import Response

app = Flask(__name__)


async def test() -> Response:
    a, b = await get_row()
    return Response(json.dumps({"a": f"{a:010}", "b": b}), mimetype="application/json")


app.route("/test")(test)
