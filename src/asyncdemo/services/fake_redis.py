"""fakeredis' TCP server, in threads of the process that hosts it: no Redis needs to be installed.

Not for: measuring Redis. It answers about 1,300 requests a second.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import Any

import redis
from fakeredis import TcpFakeServer, __version__

from asyncdemo.services.server import Started


class _Server(TcpFakeServer):
    request_queue_size = 1024
    """Connections waiting to be accepted. With socketserver's 5 the others try again only after a second."""


def _as_redis_does(handler: Any) -> Any:
    """Where fakeredis' own handler of a connection is unlike Redis in a way that a pool would notice."""

    class Handler(handler):  # type: ignore[misc]
        # It answers a pipeline in several writes. Held back until the one before is acknowledged, each may be
        # 40 ms late.
        disable_nagle_algorithm = True

        def setup(self) -> None:
            super().setup()
            read_response = self.current_client.read_response

            def read_response_or_error(**options: Any) -> Any:
                """An error is an answer. Raised, it would end the connection."""
                try:
                    return read_response(**options)
                except redis.ResponseError as error:
                    return error

            self.current_client.read_response = read_response_or_error

    return Handler


class FakeRedis:
    def __init__(self) -> None:
        self._server = _Server(("127.0.0.1", 0))
        self._server.daemon_threads = True  # else it remembers the thread of every connection there was
        self._server.RequestHandlerClass = _as_redis_does(self._server.RequestHandlerClass)
        self._url = f"redis://127.0.0.1:{self._server.server_address[1]}/0"

    def start(self) -> Started:
        threading.Thread(target=self._server.serve_forever, name="fakeredis", daemon=True).start()
        self.reset()
        return Started({"REDIS_URL": self._url}, f"fakeredis {__version__}", os.getpid())

    def watch(self, lost: Callable[[str], None]) -> None:
        """It ends with our own process only."""

    def reset(self) -> None:
        with redis.Redis.from_url(self._url) as client:
            client.flushall()

    def close(self) -> None:
        """It ends with our own process, and leaves nothing."""
