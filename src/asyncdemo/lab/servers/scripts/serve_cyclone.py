"""Cyclone's server, on Twisted's reactor."""

import socket

from starting import forked, load


def log_nothing(handler: object) -> None:
    pass


if __name__ == "__main__":
    options, shared = forked()

    # Each worker has its own reactor, created by this import; importing the app does it, too.
    from twisted.internet import reactor

    app = load(options.target)
    app.settings["log_function"] = log_nothing
    reactor.adoptStreamPort(shared.fileno(), socket.AF_INET, app)
    reactor.run()
