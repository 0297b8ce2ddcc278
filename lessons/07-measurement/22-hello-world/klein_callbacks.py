"""Fifty clients ask Klein for a line of text, again and again: how long does each of them wait?

Predict the rank of its median wait before you run it:  asyncdemo run hello-world --variant klein
"""

import os

from klein import Klein
from twisted.internet import reactor
from twisted.web.iweb import IRequest
from twisted.web.server import Site

PORT = int(os.environ.get("PORT", "8000"))

app = Klein()


@app.route("/")  # type: ignore[untyped-decorator]  # Klein has none for it
def hello(request: IRequest) -> str:
    """This is all the work there is."""
    return "Hello, world!"


def main() -> None:
    reactor.listenTCP(PORT, Site(app.resource()), backlog=128, interface="127.0.0.1")
    reactor.run()


if __name__ == "__main__":
    main()
