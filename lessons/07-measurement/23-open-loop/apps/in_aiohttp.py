"""Hello world as text, in aiohttp.

Served by the server that aiohttp brings along, one process. ``/later`` waits before it answers.
"""

import asyncio
import os

from aiohttp import web

DELAY_S = float(os.environ.get("LAB_DELAY_MS", "1000")) / 1000


async def hello(request: web.Request) -> web.Response:
    return web.Response(text="Hello, world!")


async def later(request: web.Request) -> web.Response:
    await asyncio.sleep(DELAY_S)
    return web.Response(text="Hello, later!")


app = web.Application()
app.add_routes([web.get("/", hello), web.get("/later", later)])


if __name__ == "__main__":
    web.run_app(app, host="127.0.0.1", port=8000)
