"""aioflask, which is Flask with coroutines for views: a row as JSON. Served by uvicorn."""

import json

from aioflask import Flask
from awaited_rows import row_by_key
from flask import Response

app = Flask(__name__)


async def row() -> Response:
    number, text = await row_by_key()
    return Response(json.dumps({"a": f"{number:010}", "b": text}), mimetype="application/json")


app.route("/row")(row)  # as a decorator does; one without types would hide those of row
