"""The servers that lessons need, on this machine: S3, Redis, ... Started on demand, always stopped.

Each runs in its own process on a free loopback port, and is reached as in production, by the address in the
environment.
"""

from __future__ import annotations

from asyncdemo.services.choice import NAMES, NOUNS, SERVICES, choose
from asyncdemo.services.service import Choice, NotThereError, Source
from asyncdemo.services.services import Services

__all__ = ["NAMES", "NOUNS", "SERVICES", "Choice", "NotThereError", "Services", "Source", "choose"]
