"""Starlette: a row as JSON. Served by uvicorn."""

import json

from async_db import get_row
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route


async def test(request: Request) -> Response:
    a, b = await get_row()
    return Response(json.dumps({"a": f"{a:010}", "b": b}), media_type="application/json")


app = Starlette(routes=[Route("/test", test)])
