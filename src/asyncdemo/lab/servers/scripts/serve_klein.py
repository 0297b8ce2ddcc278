"""Klein on Twisted's server and reactor."""

import socket

from starting import forked, load


def log_nothing(request: object) -> None:
    """Avoid formatting a line for each request, even if it is written nowhere."""


if __name__ == "__main__":
    options, shared = forked()

    # Each worker has its own reactor, created by this import.
    from twisted.internet import reactor
    from twisted.web.server import Site

    site = Site(load(options.target).resource())
    site.log = log_nothing
    reactor.adoptStreamPort(shared.fileno(), socket.AF_INET, site)
    reactor.run()
