"""FastAPI: a row as JSON. Served by uvicorn."""

import json

from awaited_rows import row_by_key
from fastapi import FastAPI, Response

app = FastAPI()


async def row() -> Response:
    number, text = await row_by_key()
    return Response(json.dumps({"a": f"{number:010}", "b": text}), media_type="application/json")


app.get("/row")(row)  # as a decorator does; one without types would hide those of row
