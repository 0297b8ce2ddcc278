"""Falcon: a row as JSON. Served by Gunicorn (sync, gevent, meinheld) and uWSGI."""

import json

import falcon
from blocking_rows import row_by_key

app = falcon.App()


class Row:
    def on_get(self, request: falcon.Request, response: falcon.Response) -> None:
        number, text = row_by_key()
        response.text = json.dumps({"a": f"{number:010}", "b": text})  # JSON is its own default


app.add_route("/row", Row())
