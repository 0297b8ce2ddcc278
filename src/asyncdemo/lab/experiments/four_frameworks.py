"""What seed 001 needs beside ``four-frameworks.toml``: its checks, and Sanic with an access log.

Not for: the apps (``apps/`` of the lesson ``hello-world``).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Final

from asyncdemo.lab.experiments import Surroundings
from asyncdemo.lab.experiments.definition import load_definition
from asyncdemo.lab.harness.checks import all_at_once_check, answer_check
from asyncdemo.lab.harness.protocol import Check, Experiment, Scene, Seen, When
from asyncdemo.lab.servers import PROGRAMS, Program
from asyncdemo.load import Send

__all__ = ["prepared"]

_SEND: Final = Send("GET", "/")
_BODY: Final = b"Hello, World!"


@contextmanager
def prepared(surroundings: Surroundings) -> Iterator[Experiment]:
    # Klein sends no Content-Length, but chunks.
    answer = answer_check(_SEND, _BODY.decode(), _BODY.__eq__, headers={"Content-Type": "text/plain"})
    checks = {"answer": (answer,), "at once": (all_at_once_check(200),), "connections": _connections()}
    programs = {**PROGRAMS, "sanic-logging": _sanic_logging()}
    yield load_definition("four-frameworks").experiment(
        surroundings, {"hello": _SEND}, checks, programs=programs
    )


def _sanic_logging() -> Program:
    command = "python -m sanic {app} --host 127.0.0.1 --port {port} --single-process --access-logs --no-motd"
    notes = ("A line for each request, which the lab reads.", "single_process: no manager beside it.")
    return replace(PROGRAMS["sanic"], command=command, most_workers=1, notes=notes)


def _connections() -> tuple[Check, Check]:
    def kept(scene: Scene) -> Seen:
        opened = scene.load.connections if scene.load else None
        return Seen(f"{opened}", opened == scene.setting.clients)

    def closed(scene: Scene) -> Seen:
        load = scene.load
        opened, answered = (load.connections or 0, load.answered) if load else (0, 0)
        return Seen(f"{opened:,} for {answered:,} answers", opened >= answered > (scene.setting.clients or 0))

    what = "connections opened"
    return (
        Check(what, "200", kept, When.AFTER, ("tornado", "klein", "sanic", "sanic-logging")),
        Check(what, "one for each answer", closed, When.AFTER, ("flask-unthreaded", "flask-threaded")),
    )
