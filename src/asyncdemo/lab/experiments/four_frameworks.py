"""Seed 001: hello world from Flask, Tornado, Klein and Sanic, each with the server that it brings along.

Flask stands twice: which of its servers the article had is not said. Sanic stands twice, too: once it writes
an access log, which costs more than a hello world.
Not for: what is compared (``four_frameworks_rows``), or the apps (``apps/`` of the lesson ``hello-world``).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Final

from asyncdemo.lab.experiments.entry import Surroundings
from asyncdemo.lab.experiments.four_frameworks_rows import (
    ARTICLE,
    CLIENTS,
    FLASK,
    KLEIN,
    LEVELS,
    LOGGING,
    SANIC,
    THREADED,
    TORNADO,
    rows,
)
from asyncdemo.lab.harness.answers import answer_check
from asyncdemo.lab.harness.contestants import contestant, shared_packages
from asyncdemo.lab.harness.protocol import Check, Condition, Contender, Experiment, Scene, Seen, Size, When
from asyncdemo.lab.results.setup import Arm, Extent, Loop, Setting
from asyncdemo.lab.servers import PROGRAMS, App, Asked, Interface, Program
from asyncdemo.lab.servers.program import HOST, PYTHON
from asyncdemo.load import Send

__all__ = ["prepared"]

_SEND: Final = Send("GET", "/")
_BODY: Final = b"Hello, World!"
_ALL: Final = (FLASK, THREADED, TORNADO, KLEIN, SANIC)
_LEVELLED: Final = (THREADED, TORNADO, KLEIN, SANIC)
_P99_S: Final = 8.0
"""Of a window at capacity: the 99th percentile needs 10,000 answers, also of Flask."""
_LEVEL_S: Final = 4.0
_BUDGET_MS: Final = 50.0
_SEARCHES: Final = 3
"""Of the highest rate: each takes many steps. Nothing is ranked by them."""


@contextmanager
def prepared(surroundings: Surroundings) -> Iterator[Experiment]:
    contenders = _contenders(surroundings)
    yield Experiment(
        name=ARTICLE,
        title="Four frameworks",
        contenders=contenders,
        conditions=(_closed(), _wrk(), *(_level(level) for level in LEVELS), _budget()),
        asked=rows(),
        article=ARTICLE,
        lesson="hello-world",
        sizes={
            Extent.QUICK: Size(2, 1.0, 0.3, 2, settings=("closed",)),
            Extent.DEFAULT: Size(7, _P99_S, 0.5, 3, settings=("closed",)),
            Extent.FULL: Size(7, _P99_S, 0.6, 4),
        },
        twin_of=SANIC,
        packages=shared_packages(item.contestant for item in contenders),
        notes=(
            "All send the same 13 letters as text. In the article the texts differed, and Sanic sent JSON.",
            "The article does not say how Flask was started. In 2017 its server took one request at a time "
            "unless it was told otherwise; since version 1.0 it makes a thread for each. Both stand here.",
            "Tornado runs on asyncio's own event loop and Klein on Twisted's, as they do unasked; Sanic on "
            "uvloop, as it does where that is installed.",
            "Connections are kept, as by wrk. Flask's own server closes each after its answer, and opening "
            "a new one counts as waiting here; wrk's clock leaves it out.",
        ),
    )


def _contenders(surroundings: Surroundings) -> tuple[Contender, ...]:
    def contender(
        name: str, title: str, framework: str, program: Program, app: App, *, loop: str = ""
    ) -> Contender:
        arm = Arm(name, title, program.model, framework, program.title, notes=program.notes)
        served = contestant(program, app, name, tell=surroundings.tell)
        return Contender(arm, served, {"loop": loop} if loop else {})

    apps = surroundings.apps
    in_flask = App(apps / "in_flask.py", Interface.WSGI)
    in_tornado = App(apps / "in_tornado.py", Interface.TORNADO)
    in_klein = App(apps / "in_klein.py", Interface.KLEIN)
    in_sanic = App(apps / "in_sanic.py", Interface.SANIC)
    return (
        contender(FLASK, "Flask, threaded=False", "Flask", PROGRAMS["flask"], in_flask),
        contender(THREADED, "Flask, threaded", "Flask", PROGRAMS["flask-threaded"], in_flask),
        contender(TORNADO, "Tornado", "Tornado", PROGRAMS["tornado"], in_tornado, loop="asyncio"),
        contender(KLEIN, "Klein", "Klein", PROGRAMS["klein"], in_klein),
        contender(SANIC, "Sanic", "Sanic", PROGRAMS["sanic"], in_sanic),
        contender(LOGGING, "Sanic with access log", "Sanic", _sanic_logging(), in_sanic),
    )


def _sanic_logging() -> Program:
    def arguments(asked: Asked) -> Sequence[str]:
        return [
            *(PYTHON, "-m", "sanic", asked.app.target, "--host", HOST, "--port", asked.port_word),
            *("--single-process", "--access-logs", "--no-motd"),
        ]

    notes = ("A line for each request, which the lab reads.", "single_process: no manager beside it.")
    return replace(PROGRAMS["sanic"], arguments=arguments, most_workers=1, notes=notes)


# -- what is sent -------------------------------------------------------------------------------------


def _closed() -> Condition:
    setting = Setting(
        "closed", f"{CLIENTS} clients", Loop.CLOSED, (), clients=CLIENTS, timeout_s=30, keep_alive=True
    )
    return Condition(setting, (_SEND,), checks=(_answer(), _all_at_once(), *_connections()))


def _wrk() -> Condition:
    setting = Setting(
        "wrk",
        f"{CLIENTS} clients, sent by wrk",
        Loop.CLOSED,
        (),
        clients=CLIENTS,
        duration_s=4,
        timeout_s=30,
        keep_alive=True,
        tool="wrk",
    )
    return Condition(setting, (_SEND,), arms=_ALL, checks=(_answer(),))


def _level(level: int) -> Condition:
    setting = Setting(
        f"load-{level}",
        f"{level} % of what the slowest can do",
        Loop.OPEN,
        (),
        of_capacity=level / 100,
        arrivals="poisson",
        timeout_s=30,
        keep_alive=True,
        duration_s=_LEVEL_S,
    )
    return Condition(setting, (_SEND,), arms=_LEVELLED, checks=(_answer(),), capacity="closed")


def _budget() -> Condition:
    setting = Setting(
        "budget",
        f"the highest rate with 99 % within {_BUDGET_MS:g} ms",
        Loop.OPEN,
        (),
        budget_ms=_BUDGET_MS,
        arrivals="poisson",
        timeout_s=30,
        keep_alive=True,
        duration_s=2,
    )
    return Condition(
        setting,
        (_SEND,),
        arms=(THREADED, SANIC),
        checks=(_answer(),),
        capacity="closed",
        rounds=_SEARCHES,
    )


# -- what is looked at --------------------------------------------------------------------------------


def _answer() -> Check:
    # Klein sends no Content-Length, but chunks.
    return answer_check(_SEND, _BODY.decode(), _BODY.__eq__, headers={"Content-Type": "text/plain"})


def _all_at_once() -> Check:
    def look(scene: Scene) -> Seen:
        open_at_once = scene.load.open_at_once if scene.load else None
        return Seen(f"{open_at_once}", open_at_once == CLIENTS)

    return Check("requests under way at once", f"{CLIENTS}", look, When.AFTER)


def _connections() -> tuple[Check, Check]:
    def kept(scene: Scene) -> Seen:
        opened = scene.load.connections if scene.load else None
        return Seen(f"{opened}", opened == CLIENTS)

    def closed(scene: Scene) -> Seen:
        load = scene.load
        opened, answered = (load.connections or 0, load.answered) if load else (0, 0)
        return Seen(f"{opened:,} for {answered:,} answers", opened >= answered > CLIENTS)

    what = "connections opened"
    return (
        Check(what, f"{CLIENTS}", kept, When.AFTER, (TORNADO, KLEIN, SANIC, LOGGING)),
        Check(what, "one for each answer", closed, When.AFTER, (FLASK, THREADED)),
    )
