"""FastAPI: a row as JSON. Served by uvicorn."""

import json

from async_db import get_row
from fastapi import FastAPI, Response

app = FastAPI()


async def test() -> Response:
    a, b = await get_row()
    return Response(json.dumps({"a": f"{a:010}", "b": b}), media_type="application/json")


app.get("/test")(test)
