"""The process of one service: starts its server, resets it on request, ends it when its parent is gone.

``python -m asyncdemo.services.host``: the first line of stdin says which server, in JSON; each further line
requests a reset; the end of stdin, which comes however the parent ends, means stop. Responses are lines of
JSON on stdout; stderr is the server's own output.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from collections.abc import Callable
from dataclasses import asdict
from types import FrameType
from typing import Any

from asyncdemo.errors import ServiceError
from asyncdemo.services.choice import SERVICES
from asyncdemo.services.server import Server
from asyncdemo.services.service import Choice, Source


def main() -> int:
    said = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what a library prints is not for the parent

    def say(**message: Any) -> None:
        try:
            said.write(json.dumps(message) + "\n")
            said.flush()
        except OSError:  # nobody listens; stdin will end, too
            pass

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C and closes stdin
    _on_ending(_leave)
    orders = iter(sys.stdin.buffer.readline, b"")
    order = json.loads(next(orders))
    service = SERVICES[order["name"]]
    server: Server | None = None
    ending = threading.Lock()

    def lost(how: str) -> None:
        """End this process: its server has died."""
        with ending:
            say(lost=how)
            if server is not None:
                server.close()
            os._exit(1)

    try:
        server = service.server_for(Choice(service, Source(order["source"]), order["where"]))
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
    except service.client_errors() as error:
        say(failed=f"says: {' '.join(str(error).split())}")
        return 1
    finally:
        _on_ending(signal.SIG_IGN)
        with ending:
            if server is not None:
                server.close()
    return 0


def _leave(number: int, frame: FrameType | None) -> None:  # noqa: ARG001  (a handler's signature)
    sys.exit(128 + number)


def _on_ending(handler: Callable[[int, FrameType | None], None] | signal.Handlers) -> None:
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, handler)


if __name__ == "__main__":
    code = main()
    # The server's threads may be in the middle of a response that nobody waits for.
    sys.stderr.flush()
    os._exit(code)
