"""uvicorn and Hypercorn: servers for ASGI apps.

Not for: the same behind Gunicorn (``gunicorn``).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from asyncdemo.lab.results.setup import Model
from asyncdemo.lab.servers.program import HOST, PYTHON, Asked, Interface, Program

__all__ = ["ASGI_SERVERS"]

_ASGI: Final = frozenset({Interface.ASGI, Interface.SANIC})


def _uvicorn(asked: Asked) -> Sequence[str]:
    return [
        *(PYTHON, "-m", "uvicorn", asked.app.target, "--host", HOST, "--port", asked.port_word),
        *("--workers", str(asked.workers), "--loop", asked.loop.value, "--http", "httptools"),
        *("--backlog", str(asked.backlog), "--no-access-log", "--log-level", "warning"),
    ]


def _hypercorn(asked: Asked) -> Sequence[str]:
    return [
        *(PYTHON, "-m", "hypercorn", asked.app.target, "--bind", asked.address),
        *("--workers", str(asked.workers), "--worker-class", asked.loop.value),
        *("--backlog", str(asked.backlog), "--log-level", "warning"),
    ]


ASGI_SERVERS: Final = (
    Program(
        name="uvicorn",
        title="uvicorn",
        model=Model.COROUTINES,
        interfaces=_ASGI,
        packages=("uvicorn", "httptools", "uvloop"),
        arguments=_uvicorn,
        notes=("Access log off.", "Parses with httptools."),
    ),
    Program(
        name="hypercorn",
        title="Hypercorn",
        model=Model.COROUTINES,
        interfaces=_ASGI,
        packages=("hypercorn", "uvloop"),
        arguments=_hypercorn,
        notes=("Access log off, as it is by default.",),
    ),
)
