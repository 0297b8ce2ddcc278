"""aiohttp: a row as JSON. Served by its own server."""

import json

from aiohttp import web
from async_db import get_row

app = web.Application()


async def test(request: web.Request) -> web.Response:
    a, b = await get_row()
    return web.Response(text=json.dumps({"a": f"{a:010}", "b": b}), content_type="application/json")


app.add_routes([web.get("/test", test)])
