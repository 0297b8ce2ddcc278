"""The services that there are, and which server is behind each."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Final

from asyncdemo.services.postgres import Postgres
from asyncdemo.services.redis import Redis
from asyncdemo.services.s3 import S3
from asyncdemo.services.service import Choice, Service

SERVICES: Final[Mapping[str, Service]] = {service.name: service for service in (S3(), Redis(), Postgres())}
NAMES: Final = tuple(SERVICES)
NOUNS: Final = {name: service.noun for name, service in SERVICES.items()}


def choose(name: str, environ: Mapping[str, str] = os.environ) -> Choice:
    """Choose the server of a service: see ``Service.choose``."""
    return SERVICES[name].choose(environ)
