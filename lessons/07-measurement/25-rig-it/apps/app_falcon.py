"""Falcon: a row as JSON. Served by Gunicorn (sync, gevent, meinheld) and uWSGI."""

import json

import falcon
from sync_db import get_row

app = falcon.App()


class Test:
    def on_get(self, request: falcon.Request, response: falcon.Response) -> None:
        a, b = get_row()
        response.text = json.dumps({"a": f"{a:010}", "b": b})  # JSON is its own default


app.add_route("/test", Test())
