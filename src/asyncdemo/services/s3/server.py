"""S3: moto's server, in a thread of the host process.

It keeps everything in memory. It checks no signatures, so any key will do.
"""

from __future__ import annotations

import http.client
import logging
import os
from pathlib import Path
from typing import Final

from moto import __version__
from moto.server import ThreadedMotoServer
from werkzeug.serving import WSGIRequestHandler

from asyncdemo.errors import ServiceError
from asyncdemo.services.server import Server, Started

BUCKET: Final = "asyncdemo"
_ANSWERS_S: Final = 30.0


class MotoServer(Server):
    def __init__(self) -> None:
        logging.getLogger("werkzeug").setLevel(logging.WARNING)  # it writes a line for every request
        # A response is sent in two writes. With Nagle's algorithm, the second waits until the first is
        # acknowledged, which may take 40 ms.
        WSGIRequestHandler.disable_nagle_algorithm = True
        self._server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
        self._address = ("127.0.0.1", 0)

    def start(self) -> Started:
        self._server.start()
        self._address = self._server.get_host_and_port()
        self.reset()
        host, port = self._address
        return Started(_environment(f"http://{host}:{port}"), f"moto {__version__}", os.getpid())

    def reset(self) -> None:
        self._ask("POST", "/moto-api/reset")
        self._ask("PUT", f"/{BUCKET}")

    def _ask(self, method: str, path: str) -> None:
        connection = http.client.HTTPConnection(*self._address, timeout=_ANSWERS_S)
        try:
            connection.request(method, path)
            response = connection.getresponse()
            said = response.read()
        finally:
            connection.close()
        if response.status != http.HTTPStatus.OK:
            raise ServiceError(f"answered {method} {path} with {response.status}: {said[:200]!r}")


def _environment(address: str) -> dict[str, str]:
    """Return what boto3 and aioboto3 need, and what overrides any user settings that lead to the real AWS."""
    return {
        "AWS_ENDPOINT_URL_S3": address,
        "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS": "false",
        "AWS_ACCESS_KEY_ID": "testing",
        "AWS_SECRET_ACCESS_KEY": "testing",
        "AWS_SESSION_TOKEN": "",
        "AWS_SECURITY_TOKEN": "",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
        "AWS_CONFIG_FILE": str(Path(__file__).with_name("aws.config")),
        "AWS_PROFILE": "asyncdemo",
        # By default, botocore uses a proxy even for the loopback.
        **dict.fromkeys(("NO_PROXY", "no_proxy"), _without_proxy()),
    }


def _without_proxy() -> str:
    before = os.environ.get("no_proxy") or os.environ.get("NO_PROXY", "")
    return ",".join(part for part in (before, "127.0.0.1", "localhost") if part)
