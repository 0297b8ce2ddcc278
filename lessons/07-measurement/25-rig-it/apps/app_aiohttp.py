"""aiohttp: a row as JSON. Served by its own server."""

import json

from aiohttp import web
from awaited_rows import row_by_key

app = web.Application()


async def row(request: web.Request) -> web.Response:
    number, text = await row_by_key()
    return web.Response(text=json.dumps({"a": f"{number:010}", "b": text}), content_type="application/json")


app.add_routes([web.get("/row", row)])
