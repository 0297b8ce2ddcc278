"""Hello world in Tornado. The lab serves it with Tornado's own server, in one process."""

import asyncio

from tornado.web import Application, RequestHandler


class Hello(RequestHandler):  # type: ignore[misc]  # its types are left out
    def get(self) -> None:
        self.set_header("Content-Type", "text/plain")
        self.write("Hello, World!")


app = Application([("/", Hello)])


async def main() -> None:
    app.listen(8888)
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main())
