"""Tornado: a row as JSON. Served by its own server."""

import json

from awaited_rows import row_by_key
from tornado.web import Application, RequestHandler


class Row(RequestHandler):  # type: ignore[misc]  # its types are left out
    async def get(self) -> None:
        number, text = await row_by_key()
        self.set_header("Content-Type", "application/json")
        self.write(json.dumps({"a": f"{number:010}", "b": text}))


app = Application([("/row", Row)])
