"""Starlette: a row as JSON. Served by uvicorn."""

import json

from awaited_rows import row_by_key
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route


async def row(request: Request) -> Response:
    number, text = await row_by_key()
    return Response(json.dumps({"a": f"{number:010}", "b": text}), media_type="application/json")


app = Starlette(routes=[Route("/row", row)])
