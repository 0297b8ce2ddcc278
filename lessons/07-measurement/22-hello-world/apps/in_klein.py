"""Hello world in Klein. The lab serves it with Twisted's server, in one process."""

from klein import Klein
from twisted.web.server import Request

app = Klein()


@app.route("/")  # type: ignore[untyped-decorator]  # Klein has none for it
def hello(request: Request) -> str:
    request.setHeader("Content-Type", "text/plain")
    return "Hello, World!"


if __name__ == "__main__":
    app.run("127.0.0.1", 8888)
