"""Hello world as text, in Cyclone: Tornado's handlers on Twisted's reactor.

Served by Cyclone's own HTTP server, one process. ``/later`` waits before it answers. Cyclone is older than
``async def`` and awaits no coroutine: a handler that waits is a generator of Deferreds.
"""

import os
from collections.abc import Iterator

from cyclone.web import Application, RequestHandler
from twisted.internet import reactor
from twisted.internet.defer import Deferred, inlineCallbacks
from twisted.internet.task import deferLater

DELAY_S = float(os.environ.get("LAB_DELAY_MS", "1000")) / 1000


class Hello(RequestHandler):  # type: ignore[misc]  # it has no types
    def get(self) -> None:
        self.set_header("Content-Type", "text/plain; charset=utf-8")
        self.write("Hello, world!")


class Later(RequestHandler):  # type: ignore[misc]
    @inlineCallbacks  # type: ignore[untyped-decorator]  # its types are left out
    def get(self) -> Iterator[Deferred]:
        yield deferLater(reactor, DELAY_S)
        self.set_header("Content-Type", "text/plain; charset=utf-8")
        self.write("Hello, later!")


app = Application([("/", Hello), ("/later", Later)])


def main() -> None:
    reactor.listenTCP(8000, app, interface="127.0.0.1")
    reactor.run()


if __name__ == "__main__":
    main()
