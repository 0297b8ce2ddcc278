"""Bottle: a row as JSON. Served by Gunicorn (sync, gevent, meinheld) and uWSGI."""

import json

from blocking_rows import row_by_key
from bottle import Bottle, response

app = Bottle()


def row() -> str:
    number, text = row_by_key()
    response.content_type = "application/json"
    return json.dumps({"a": f"{number:010}", "b": text})


app.get("/row")(row)  # as a decorator does; one without types would hide those of row
