"""aiohttp and httpx as load clients: engines to beware of.

At its limit a client measures itself, and these have theirs where many servers do not: the same two servers
change their order when the client is changed. They are there to show that, in the rig and in the calibration
of our own client, and never in an experiment. Not for: measuring (``engines``), or other programs
(``cross_checks``).
"""

from __future__ import annotations

from typing import Final

from asyncdemo.lab.harness.engines import ClientEngine, Engine
from asyncdemo.packages import version_of

__all__ = ["PYTHON_CLIENTS", "found_python_clients"]

PYTHON_CLIENTS: Final = tuple(
    ClientEngine(name, ("asyncdemo.lab.harness.python_client", name)) for name in ("aiohttp", "httpx")
)


def found_python_clients() -> tuple[Engine, ...]:
    """Those whose package is installed."""
    return tuple(client for client in PYTHON_CLIENTS if version_of(client.name))
