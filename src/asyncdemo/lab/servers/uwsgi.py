"""uWSGI, which speaks HTTP itself here: no router process in front of its workers.

Not for: the compiled program and the wheel as two: ``pyuwsgi`` brings the same one, named ``uwsgi``.
"""

from __future__ import annotations

import signal
from collections.abc import Sequence
from typing import Final

from asyncdemo.lab.results.setup import Model
from asyncdemo.lab.servers.program import Asked, Interface, Program

__all__ = ["UWSGI"]


def _arguments(asked: Asked) -> Sequence[str]:
    threads = ["--threads", str(asked.threads)] if asked.threads > 1 else []
    return [
        *("uwsgi", "--http-socket", asked.address, "--module", asked.app.target),
        *("--master", "--processes", str(asked.workers), *threads, "--lazy-apps", "--need-app"),
        *("--listen", str(asked.allowed_backlog), "--disable-logging", "--die-on-term"),
        # It closes the connection after each answer, and does not say so.
        *("--add-header", "Connection: close"),
    ]


UWSGI: Final = Program(
    name="uwsgi",
    title="uWSGI",
    model=Model.PROCESSES,
    interfaces=frozenset({Interface.WSGI}),
    packages=("pyuwsgi",),
    arguments=_arguments,
    takes_threads=True,
    endings=(signal.SIGINT,),
    notes=(
        "HTTP without a router, logging off.",
        "It closes the connection after each answer; the header that says so is added.",
        "Each worker imports the app itself (lazy-apps), so no two share what it opens.",
    ),
)
