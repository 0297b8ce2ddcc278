"""Bottle: a row as JSON. Served by Gunicorn (sync, gevent, meinheld) and uWSGI."""

import json

from bottle import Bottle, response
from sync_db import get_row

app = Bottle()


def test() -> str:
    a, b = get_row()
    response.content_type = "application/json"
    return json.dumps({"a": f"{a:010}", "b": b})


app.get("/test")(test)
