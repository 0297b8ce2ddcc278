"""The process of one service: starts its server, resets it on demand, ends it when whoever asked is gone.

``python -m asyncdemo.services.host``: the first line of stdin says which server, in JSON; each further line
asks for a reset; its end, which comes however the other side ends, is the order to stop. Answers are lines of
JSON on stdout; stderr is the server's own output. Not for: several services at the same time (``Services``).
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from dataclasses import asdict
from importlib import import_module
from types import FrameType
from typing import Any, Final

from asyncdemo.errors import ServiceError
from asyncdemo.services.choice import Choice, Source
from asyncdemo.services.server import Server

_MODULES: Final = {
    "s3": "asyncdemo.services.s3",
    "redis": "asyncdemo.services.redis",
    "postgres": "asyncdemo.services.postgres",
}


def main() -> int:
    said = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what a library prints is not for the other side

    def say(**message: Any) -> None:
        try:
            said.write(json.dumps(message) + "\n")
            said.flush()
        except OSError:  # nobody listens; the end of stdin will say so, too
            pass

    _heed_signals()
    orders = iter(sys.stdin.buffer.readline, b"")
    order = json.loads(next(orders))
    choice = Choice(order["name"], Source(order["source"]), order["where"])
    server: Server | None = None
    ending = threading.Lock()

    def lost(how: str) -> None:
        """Nothing is left to be served, so neither are we."""
        with ending:
            say(lost=how)
            if server is not None:
                server.close()
            os._exit(1)

    try:
        server = import_module(_MODULES[choice.name]).server_for(choice)
        assert server is not None
        started = server.start()
        server.watch(lost)
        say(started=asdict(started))
        for _ in orders:
            server.reset()
            say(reset=True)
    except ServiceError as error:
        say(failed=str(error))
        return 1
    except ImportError as error:
        say(missing=str(error))
        return 1
    except _client_errors(choice.name) as error:
        say(failed=f"says: {' '.join(str(error).split())}")
        return 1
    finally:
        _heed_no_signals()
        with ending:
            if server is not None:
                server.close()
    return 0


def _client_errors(name: str) -> tuple[type[Exception], ...]:
    """What the service's client raises: a server that cannot be reached, or does not let us in."""
    if name == "redis":
        import redis

        return (redis.RedisError, OSError)
    if name == "postgres":
        import psycopg

        return (psycopg.Error, OSError)
    return (OSError,)


def _heed_signals() -> None:
    """Ctrl-C is for whoever asked for us, and closes stdin then. Who ends us by name gets an orderly end."""

    def leave(number: int, frame: FrameType | None) -> None:  # noqa: ARG001  (of every handler)
        sys.exit(128 + number)

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, leave)


def _heed_no_signals() -> None:
    """From now on: what is under way is the end."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)


if __name__ == "__main__":
    code = main()
    # The servers' threads may be in the middle of an answer; nobody waits for it.
    sys.stderr.flush()
    os._exit(code)
