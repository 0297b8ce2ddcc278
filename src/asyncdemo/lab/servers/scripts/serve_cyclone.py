"""Cyclone's server, on Twisted's reactor."""

import socket

from starting import asked, fork, listening, load


def log_nothing(handler: object) -> None:
    pass


if __name__ == "__main__":
    options = asked()
    shared = listening(options.port, options.backlog)
    fork(options.workers)

    # Each worker has a reactor of its own: its import makes it, and the app's does that, too.
    from twisted.internet import reactor

    app = load(options.target)
    app.settings["log_function"] = log_nothing
    reactor.adoptStreamPort(shared.fileno(), socket.AF_INET, app)
    reactor.run()
