"""Hello world in Sanic. The lab serves it with Sanic's own server, in one process."""

from typing import Any

from sanic import HTTPResponse, Request, Sanic, text

app: Sanic[Any, Any] = Sanic("hello")


@app.get("/")
async def hello(request: Request) -> HTTPResponse:
    return text("Hello, World!")


if __name__ == "__main__":
    app.run(port=8888, single_process=True)
