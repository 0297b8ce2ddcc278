"""Hello world as text, in Tornado.

Served by Tornado's own HTTP server, one process. ``/later`` waits before it answers.
"""

import asyncio
import os

from tornado.web import Application, RequestHandler

DELAY_S = float(os.environ.get("LAB_DELAY_MS", "1000")) / 1000


class Hello(RequestHandler):  # type: ignore[misc]  # its types are left out
    def get(self) -> None:
        self.set_header("Content-Type", "text/plain; charset=utf-8")
        self.write("Hello, world!")


class Later(RequestHandler):  # type: ignore[misc]
    async def get(self) -> None:
        await asyncio.sleep(DELAY_S)
        self.set_header("Content-Type", "text/plain; charset=utf-8")
        self.write("Hello, later!")


app = Application([("/", Hello), ("/later", Later)])


async def main() -> None:
    app.listen(8000, "127.0.0.1")
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main())
