"""Fifty clients ask Sanic for a line of text, again and again: how long does each of them wait?

Predict the rank of its median wait before you run it:  asyncdemo run hello-world --variant sanic
"""

import os

from sanic import HTTPResponse, Request, Sanic, text

PORT = int(os.environ.get("PORT", "8000"))

app = Sanic("hello")


@app.get("/")
async def hello(request: Request) -> HTTPResponse:
    """This is all the work there is."""
    return text("Hello, world!")


def main() -> None:
    app.run(host="127.0.0.1", port=PORT, single_process=True, access_log=False)


if __name__ == "__main__":
    main()
