"""S3, Redis and PostgreSQL on this machine: started on demand, always stopped.

Each runs in its own process on a free loopback port, and is reached as in production, by the address in the
environment.
"""

from __future__ import annotations

from asyncdemo.services.choice import NAMES, NOUNS, Choice, NotThereError, Source, choose, settings
from asyncdemo.services.services import Services

__all__ = ["NAMES", "NOUNS", "Choice", "NotThereError", "Services", "Source", "choose", "settings"]
