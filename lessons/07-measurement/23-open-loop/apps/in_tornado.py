"""Hello world as text, in Tornado.

Served by Tornado's own HTTP server, one process.
"""

import asyncio

from tornado.web import Application, RequestHandler


class Hello(RequestHandler):  # type: ignore[misc]  # its types are left out
    def get(self) -> None:
        self.set_header("Content-Type", "text/plain; charset=utf-8")
        self.write("Hello, world!")


app = Application([("/", Hello)])


async def main() -> None:
    app.listen(8000, "127.0.0.1")
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main())
