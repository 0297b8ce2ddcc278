"""Hello world as text, in Sanic.

Served by the server that Sanic brings along, one process, on uvloop where it is installed: ``app.run()``.
With ``app.config.USE_UVLOOP = False`` it runs on asyncio's own loop.
"""

from sanic import HTTPResponse, Request, Sanic, text

app = Sanic("hello")


@app.get("/")
async def hello(request: Request) -> HTTPResponse:
    return text("Hello, world!")


if __name__ == "__main__":
    app.run(port=8000, single_process=True)
