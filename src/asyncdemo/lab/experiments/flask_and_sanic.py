"""Seed 000: uploads behind a gate of five, and a route that computes, in Flask and in Sanic.

The load is that of the article: as many requests as clients, each client sends one. The durations of the
uploads are drawn in the server from one seed, so all contestants get the same ones in the same order.
Not for: what is compared (``flask_and_sanic_rows``), or the apps (``apps/`` of lesson ``flask-vs-sanic``).
"""

from __future__ import annotations

import contextlib
import json
import random
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from asyncdemo.lab.experiments.entry import Surroundings
from asyncdemo.lab.experiments.flask_and_sanic_rows import (
    ARTICLE,
    CALCS,
    GATE,
    MEAN_MS,
    MOST,
    SANIC,
    THREADED,
    UNTHREADED,
    UPLOADS,
    rows,
)
from asyncdemo.lab.harness.answers import answer_check
from asyncdemo.lab.harness.contestants import contestant, shared_packages
from asyncdemo.lab.harness.protocol import (
    Check,
    Condition,
    Contender,
    Count,
    Experiment,
    Scene,
    Seen,
    Size,
    When,
)
from asyncdemo.lab.results.setup import Arm, Extent, Loop, Setting
from asyncdemo.lab.servers import PROGRAMS, App, Interface
from asyncdemo.load import Send

__all__ = ["prepared"]

_SPREAD_MS, _SEED, _NUMBERS = 50, 1, 1_000_000
_FASTEST_MS, _SLOWEST_MS = int(MEAN_MS) - _SPREAD_MS, int(MEAN_MS) + _SPREAD_MS
_UPLOAD, _CALC = Send("POST", "/upload"), Send("GET", "/calc")
_WINDOW_S: Final = 2.0
"""Of calibrating only: here the requests are counted."""
_QUICK: Final = ("uploads-10", "calc-10")
_DEFAULT: Final = ("uploads-10", "uploads-30", "uploads-50", "calc-10", "calc-50")


@contextmanager
def prepared(surroundings: Surroundings) -> Iterator[Experiment]:
    contenders = _contenders(surroundings)
    yield Experiment(
        name=ARTICLE,
        title="Flask and Sanic",
        contenders=contenders,
        conditions=(
            *(_uploads(many) for many in UPLOADS),
            *(_calc(_closed(f"calc-{many}", f"{many} computations at once", many)) for many in CALCS),
            _calc(_by_ab()),
        ),
        asked=rows(),
        article=ARTICLE,
        lesson="flask-vs-sanic",
        sizes={
            Extent.QUICK: Size(3, _WINDOW_S, settings=_QUICK),
            Extent.DEFAULT: Size(7, _WINDOW_S, settings=_DEFAULT),
            Extent.FULL: Size(7, _WINDOW_S),
        },
        twin_of=SANIC,
        packages=shared_packages(item.contestant for item in contenders),
        notes=(
            "An upload sleeps for 100 to 200 ms. The durations are drawn from one seed as the requests come "
            "in: the same for all contestants and in all rounds. Otherwise the luck of the draw would be "
            "part of the ratio.",
            "As ab did it: each client opens a connection and sends one request. Each server had answered "
            "one request before, and was not warmed up further, because that would draw durations, too.",
            "Virtual memory is what a process has reserved, and that was published. Resident memory is what "
            "it has of the machine's. Of both the most counts, while the requests were under way.",
        ),
    )


def _contenders(surroundings: Surroundings) -> tuple[Contender, ...]:
    in_flask = App(surroundings.apps / "in_flask.py", Interface.WSGI)
    in_sanic = App(surroundings.apps / "in_sanic.py", Interface.SANIC)
    served = (
        (UNTHREADED, "Flask, threaded=False", "Flask", "flask", in_flask),
        (THREADED, "Flask, threaded", "Flask", "flask-threaded", in_flask),
        (SANIC, "Sanic", "Sanic", "sanic", in_sanic),
    )
    contenders = []
    for name, title, framework, server, app in served:
        program = PROGRAMS[server]
        arm = Arm(name, title, program.model, framework, program.title, notes=program.notes)
        contenders.append(Contender(arm, contestant(program, app, name, tell=surroundings.tell)))
    return tuple(contenders)


# -- what is sent -------------------------------------------------------------------------------------


def _closed(name: str, title: str, many: int) -> Setting:
    return Setting(name, title, Loop.CLOSED, (), clients=many, requests=many, timeout_s=60)


def _by_ab() -> Setting:
    """Many more requests than clients, unlike the article: ab does not tell when it began the last one, and
    Little's law needs that where the end is long."""
    clients, requests = 5, 100
    title = f"{requests} computations, {clients} at once, sent by ab"
    return Setting(
        "calc-ab", title, Loop.CLOSED, (), clients=clients, requests=requests, timeout_s=60, tool="ab"
    )


def _uploads(many: int) -> Condition:
    answer = answer_check(
        _UPLOAD,
        "success",
        lambda body: bool(json.loads(body) == {"success": True}),
        headers={"Content-Type": "application/json"},
    )
    loaded = (_all_at_once(many), *_gates(many)) if many in {UPLOADS[0], MOST} else ()
    threads = (_threads(many),) if many == MOST else ()  # of fewer most are gone when one looks
    return Condition(
        _closed(f"uploads-{many}", f"{many} uploads at once", many),
        (_UPLOAD,),
        {"gate": GATE, "fastest_ms": _FASTEST_MS, "slowest_ms": _SLOWEST_MS, "seed": _SEED},
        checks=(answer, *loaded, *threads),
        counts=(Count("threads", lambda scene: float(_threads_of(scene))),),
        warm=False,
    )


def _calc(setting: Setting) -> Condition:
    wanted = sum(i * i for i in range(_NUMBERS))
    answer = answer_check(
        _CALC,
        "the sum of a million squares",
        lambda body: bool(json.loads(body) == {"result": wanted}),
        headers={"Content-Type": "application/json"},
    )
    return Condition(setting, (_CALC,), {"numbers": _NUMBERS}, checks=(answer,), warm=False)


# -- what is looked at --------------------------------------------------------------------------------


def _all_at_once(many: int) -> Check:
    def look(scene: Scene) -> Seen:
        open_at_once = scene.load.open_at_once if scene.load else None
        return Seen(f"{open_at_once}", open_at_once == many)

    return Check("requests under way at once", f"{many}", look, When.AFTER)


def _gates(many: int) -> tuple[Check, Check]:
    """No contestant is quicker than its gate: then some uploads would not have waited for it."""
    # As the apps draw; the first one is for the request that checked the answer.
    draw = random.Random(_SEED)
    drawn_ms = [draw.randint(_FASTEST_MS, _SLOWEST_MS) for _ in range(1 + many)][1:]

    def gate(at_once: int, arms: tuple[str, ...]) -> Check:
        least_s = sum(drawn_ms) / 1000 / at_once

        def look(scene: Scene) -> Seen:
            wall_s = scene.load.wall_s if scene.load else 0.0
            return Seen(f"{wall_s:.2f} s", wall_s >= least_s)

        what = f"{many} uploads, {at_once} at once"
        return Check(what, f"at least {least_s:.2f} s", look, When.AFTER, arms)

    return gate(1, (UNTHREADED,)), gate(GATE, (THREADED, SANIC))


def _threads(many: int) -> Check:
    def look(scene: Scene) -> Seen:
        there = _threads_of(scene)
        return Seen(f"{there}", there > many // 2)

    return Check("threads while it is loaded", f"more than {many // 2}", look, When.LOADED, (THREADED,))


def _threads_of(scene: Scene) -> int:
    import psutil

    threads = 0
    for pid in scene.started.pids():
        with contextlib.suppress(psutil.Error):  # it has ended
            threads += psutil.Process(pid).num_threads()
    return threads
