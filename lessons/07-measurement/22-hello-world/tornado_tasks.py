"""Fifty clients ask Tornado for a line of text, again and again: how long does each of them wait?

Predict the rank of its median wait before you run it:  asyncdemo run hello-world --variant tornado
"""

import asyncio
import contextlib
import os

from tornado.web import Application, RequestHandler

PORT = int(os.environ.get("PORT", "8000"))

app = Application()


def hello(handler: RequestHandler) -> None:
    """This is all the work there is."""
    handler.write("Hello, world!")


async def main() -> None:
    handler = type("Hello", (RequestHandler,), {"get": hello})  # Tornado calls a method of a class
    app.add_handlers(".*", [("/", handler)])
    app.listen(PORT, address="127.0.0.1")
    await asyncio.Event().wait()


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(main())
