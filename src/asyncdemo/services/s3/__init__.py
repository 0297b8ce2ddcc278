"""S3, for which there is only moto's server."""

from __future__ import annotations

from asyncdemo.services.server import Server
from asyncdemo.services.service import Choice, Service


class S3(Service):
    name, noun, package = "s3", "S3", "moto"
    origin = "moto"
    environment = "`AWS_ENDPOINT_URL_S3`, dummy keys, and variables that keep your own settings out"
    contents = "the empty bucket `asyncdemo`"

    def server_for(self, choice: Choice) -> Server:  # noqa: ARG002  (the same signature as the others)
        from asyncdemo.services.s3.server import MotoServer

        return MotoServer()
