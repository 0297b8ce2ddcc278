"""fakeredis' TCP server, in threads of the host process: Redis need not be installed.

Not for measuring Redis: it answers about 1,300 requests a second.
"""

from __future__ import annotations

import os
import threading
from typing import Any

import redis
from fakeredis import TcpFakeServer, __version__

from asyncdemo.services.server import Server, Started


class _Server(TcpFakeServer):
    request_queue_size = 1024
    """Connections waiting to be accepted. With socketserver's 5, the others retry only after a second."""


def _as_redis_does(handler: Any) -> Any:
    """Fix what a connection pool would notice of the differences between fakeredis' handler and Redis."""

    class Handler(handler):  # type: ignore[misc]
        # It answers a pipeline in several writes. With Nagle's algorithm, each waits until the one before is
        # acknowledged, which may take 40 ms.
        disable_nagle_algorithm = True

        def setup(self) -> None:
            super().setup()
            read_response = self.current_client.read_response

            def read_response_or_error(**options: Any) -> Any:
                """Return an error as the response; raised, it would end the connection."""
                try:
                    return read_response(**options)
                except redis.ResponseError as error:
                    return error

            self.current_client.read_response = read_response_or_error

    return Handler


class FakeRedis(Server):
    def __init__(self) -> None:
        self._server = _Server(("127.0.0.1", 0))
        self._server.daemon_threads = True  # otherwise it keeps the thread of every past connection
        self._server.RequestHandlerClass = _as_redis_does(self._server.RequestHandlerClass)
        self._url = f"redis://127.0.0.1:{self._server.server_address[1]}/0"

    def start(self) -> Started:
        threading.Thread(target=self._server.serve_forever, name="fakeredis", daemon=True).start()
        self.reset()
        return Started({"REDIS_URL": self._url}, f"fakeredis {__version__}", os.getpid())

    def reset(self) -> None:
        with redis.Redis.from_url(self._url) as client:
            client.flushall()
