"""Flask: a row as JSON. Served by Gunicorn (sync, gevent, meinheld) and uWSGI."""

import json

from flask import Flask, Response
from sync_db import get_row

app = Flask(__name__)


@app.get("/test")
def test() -> Response:
    a, b = get_row()
    return Response(json.dumps({"a": f"{a:010}", "b": b}), mimetype="application/json")
