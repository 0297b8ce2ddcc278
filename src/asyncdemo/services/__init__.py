"""S3, Redis and PostgreSQL on this machine: started on demand, always stopped.

Each runs in a process of its own, on a free port of the loopback, and is reached as in production: by the
address in the environment. Not for: the servers that lessons are about; those are scripts under the tracer.
"""

from __future__ import annotations

from asyncdemo.services.choice import NAMES, NOUNS, Choice, NotThereError, Source, choose, settings
from asyncdemo.services.services import Services

__all__ = ["NAMES", "NOUNS", "Choice", "NotThereError", "Services", "Source", "choose", "settings"]
