"""Tornado: a row as JSON. Served by its own server."""

import json

from async_db import get_row
from tornado.web import Application, RequestHandler


class Test(RequestHandler):  # type: ignore[misc]  # its types are left out
    async def get(self) -> None:
        a, b = await get_row()
        self.set_header("Content-Type", "application/json")
        self.write(json.dumps({"a": f"{a:010}", "b": b}))


app = Application([("/test", Test)])
