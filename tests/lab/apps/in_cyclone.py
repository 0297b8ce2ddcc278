"""Hello world in Cyclone."""

from cyclone.web import Application, RequestHandler


class Hello(RequestHandler):  # type: ignore[misc]  # it has no types
    def get(self) -> None:
        self.write("hello")


app = Application([("/", Hello)])
