"""Flask: a row as JSON. Served by Gunicorn (sync, gevent, meinheld) and uWSGI."""

import json

from blocking_rows import row_by_key
from flask import Flask, Response

app = Flask(__name__)


@app.get("/row")
def row() -> Response:
    number, text = row_by_key()
    return Response(json.dumps({"a": f"{number:010}", "b": text}), mimetype="application/json")
