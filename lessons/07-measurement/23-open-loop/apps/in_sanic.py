"""Hello world as text, in Sanic.

Served by the server that Sanic brings along, one process, on uvloop where it is installed: ``app.run()``.
With ``app.config.USE_UVLOOP = False`` it runs on asyncio's own loop.
``/later`` waits before it answers, as one does for news: each who waits holds a connection, and a coroutine.
"""

import asyncio
import os

from sanic import HTTPResponse, Request, Sanic, text

DELAY_S = float(os.environ.get("LAB_DELAY_MS", "1000")) / 1000

app = Sanic("hello")


@app.get("/")
async def hello(request: Request) -> HTTPResponse:
    return text("Hello, world!")


@app.get("/later")
async def later(request: Request) -> HTTPResponse:
    await asyncio.sleep(DELAY_S)
    return text("Hello, later!")


if __name__ == "__main__":
    app.run(port=8000, single_process=True)
