"""The servers that frameworks bring along, and gevent's: each is started by a script of ours in ``scripts/``.

A script is what their documentation shows, with the access log off and the backlog as asked.
Not for: servers that have a command (``gunicorn``, ``asgi``, ``uwsgi``).
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from asyncdemo.lab.results.setup import Model
from asyncdemo.lab.servers.program import PYTHON, Asked, Interface, Program

__all__ = ["OWN"]

_SCRIPTS: Final = Path(__file__).with_name("scripts")
_FORKED: Final = "Several workers are forked from one process and share its socket."


def _script(file: str, *more: str, loop: bool = False) -> Callable[[Asked], Sequence[str]]:
    def arguments(asked: Asked) -> Sequence[str]:
        return [
            *(PYTHON, str(_SCRIPTS / file), asked.app.target, "--port", asked.port_word),
            *("--workers", str(asked.workers), "--backlog", str(asked.backlog), *more),
            *(["--loop", asked.loop.value] if loop else []),
        ]

    return arguments


OWN: Final = (
    Program(
        name="flask",
        title="Flask's own, threaded=False",
        model=Model.ONE_AT_A_TIME,
        interfaces=frozenset({Interface.WSGI}),
        packages=("flask", "werkzeug"),
        arguments=_script("serve_flask.py"),
        most_workers=1,
        notes=("Access log off.", "It closes the connection after each answer."),
    ),
    Program(
        name="flask-threaded",
        title="Flask's own, threaded",
        model=Model.THREADS,
        interfaces=frozenset({Interface.WSGI}),
        packages=("flask", "werkzeug"),
        arguments=_script("serve_flask.py", "--threaded"),
        most_workers=1,
        notes=(
            "A thread for each connection, without a limit. Access log off.",
            "It closes the connection after each answer.",
        ),
    ),
    Program(
        name="sanic",
        title="Sanic",
        model=Model.COROUTINES,
        interfaces=frozenset({Interface.SANIC}),
        packages=("sanic", "uvloop"),
        arguments=_script("serve_sanic.py", loop=True),
        notes=(
            "Access log off: it halves the rate of hello world.",
            "With one worker single_process=True: no manager beside it. With several there is one.",
        ),
    ),
    Program(
        name="tornado",
        title="Tornado",
        model=Model.COROUTINES,
        interfaces=frozenset({Interface.TORNADO}),
        packages=("tornado", "uvloop"),
        arguments=_script("serve_tornado.py", loop=True),
        notes=("Access log off.", _FORKED),
    ),
    Program(
        name="klein",
        title="Klein on Twisted",
        model=Model.COROUTINES,
        interfaces=frozenset({Interface.KLEIN}),
        packages=("klein", "twisted"),
        arguments=_script("serve_klein.py"),
        notes=("Access log off.", "Twisted's own reactor.", _FORKED),
    ),
    Program(
        name="cyclone",
        title="Cyclone on Twisted",
        model=Model.COROUTINES,
        interfaces=frozenset({Interface.CYCLONE}),
        packages=("cyclone", "twisted"),
        arguments=_script("serve_cyclone.py"),
        environment="cyclone",
        notes=(
            "Access log off.",
            "Twisted's own reactor. Cyclone was made for the Twisted of 2019, and runs on today's.",
            _FORKED,
        ),
    ),
    Program(
        name="gevent",
        title="gevent",
        model=Model.GREENLETS,
        interfaces=frozenset({Interface.WSGI}),
        packages=("gevent",),
        arguments=_script("serve_gevent.py"),
        endings=(signal.SIGINT, signal.SIGTERM),
        notes=("Access log off.", _FORKED),
    ),
    Program(
        name="aiohttp",
        title="aiohttp",
        model=Model.COROUTINES,
        interfaces=frozenset({Interface.AIOHTTP}),
        packages=("aiohttp", "uvloop"),
        arguments=_script("serve_aiohttp.py", loop=True),
        notes=("Access log off.", _FORKED),
    ),
)
