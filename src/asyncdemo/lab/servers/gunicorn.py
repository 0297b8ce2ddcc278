"""Gunicorn, with each kind of worker: one program in the lab's eyes for each, since they serve differently.

Not for: uvicorn without Gunicorn (``asgi``).
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Sequence
from typing import Final

from asyncdemo.lab.results.setup import Model
from asyncdemo.lab.servers.program import PYTHON, Asked, Interface, Loop, Program

__all__ = ["GUNICORN"]

_SYNC_NOTE: Final = "A sync worker closes the connection after each answer."
_WSGI: Final = frozenset({Interface.WSGI})
_ASGI: Final = frozenset({Interface.ASGI, Interface.SANIC})


def _with(worker: str | Callable[[Asked], str], *more: str) -> Callable[[Asked], Sequence[str]]:
    """No access log is Gunicorn's own default."""

    def arguments(asked: Asked) -> Sequence[str]:
        kind = worker if isinstance(worker, str) else worker(asked)
        threads = ["--threads", str(asked.threads)] if asked.threads > 1 else []
        loop = ["--asgi-loop", asked.loop.value] if kind == "asgi" else []
        return [
            *(PYTHON, "-m", "gunicorn", asked.app.target, "--bind", asked.address),
            *("--workers", str(asked.workers), "--worker-class", kind, *threads, *loop),
            *("--worker-connections", str(asked.connections), "--backlog", str(asked.backlog)),
            *("--log-level", "warning", *more),
        ]

    return arguments


def _gunicorn(
    kind: str,
    model: Model,
    interfaces: frozenset[Interface],
    *packages: str,
    worker: str | Callable[[Asked], str] = "",
    takes_threads: bool = False,
    environment: str = "",
    notes: tuple[str, ...] = (),
    more: tuple[str, ...] = ("--no-control-socket",),  # one, in a folder of the user's, for all that run
) -> Program:
    return Program(
        name=f"gunicorn-{kind}",
        title=f"Gunicorn, {kind} worker",
        model=model,
        interfaces=interfaces,
        packages=("gunicorn", *packages),
        arguments=_with(worker or kind, *more),
        takes_threads=takes_threads,
        environment=environment,
        # SIGTERM lets requests under way finish, for up to 30 s.
        endings=(signal.SIGINT, signal.SIGTERM),
        notes=(*notes, "Access log off."),
    )


def _uvicorn_worker(asked: Asked) -> str:
    """It takes uvloop and httptools where they are installed; the other one is h11 on asyncio's loop."""
    return "uvicorn_worker.UvicornWorker" if asked.loop is Loop.UVLOOP else "uvicorn_worker.UvicornH11Worker"


def _aiohttp_worker(asked: Asked) -> str:
    return f"aiohttp.Gunicorn{'UVLoop' if asked.loop is Loop.UVLOOP else ''}WebWorker"


GUNICORN: Final = (
    _gunicorn("sync", Model.PROCESSES, _WSGI, notes=(_SYNC_NOTE,)),
    _gunicorn("gthread", Model.THREADS, _WSGI, takes_threads=True),
    _gunicorn("gevent", Model.GREENLETS, _WSGI, "gevent"),
    _gunicorn(
        "eventlet",
        *(Model.GREENLETS, _WSGI, "eventlet"),
        environment="gunicorn-eventlet",
        notes=("Gunicorn 25.3 is the last one with this worker.",),
    ),
    _gunicorn(
        "meinheld",
        *(Model.GREENLETS, _WSGI, "meinheld"),
        worker="meinheld.gmeinheld.MeinheldWorker",
        environment="meinheld",
    ),
    _gunicorn("asgi", Model.COROUTINES, _ASGI, "uvloop"),
    _gunicorn(
        "tornado",
        *(Model.COROUTINES, frozenset({Interface.TORNADO, Interface.WSGI}), "tornado"),
        notes=("A WSGI app gets no concurrency from it: one request at a time in each worker.",),
    ),
    _gunicorn("uvicorn", Model.COROUTINES, _ASGI, "uvicorn", "uvicorn-worker", worker=_uvicorn_worker),
    _gunicorn("aiohttp", Model.COROUTINES, frozenset({Interface.AIOHTTP}), "aiohttp", worker=_aiohttp_worker),
)
