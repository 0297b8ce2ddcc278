"""Hello world in Tornado."""

from tornado.web import Application, RequestHandler


class Hello(RequestHandler):  # type: ignore[misc]  # its types are left out
    def get(self) -> None:
        self.write("hello")


app = Application([("/", Hello)])
