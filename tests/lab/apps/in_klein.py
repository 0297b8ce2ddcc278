"""Hello world in Klein."""

from klein import Klein

app = Klein()


def hello(request: object) -> str:
    return "hello"


app.route("/")(hello)
