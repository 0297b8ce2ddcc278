"""Seed 003: hello world from Flask and from Sanic, asked for at a constant rate.

At a rate that one of them cannot keep, its percentiles say how long the run lasted, so they are refused; what
can be compared there is how much was served, and the longest wait against the formula of a backlog. Latencies
are compared at rates that both keep, and the figures of a closed loop stand beside those of an open one.
Not for: many connections at once (``ten_thousand``).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Final

from asyncdemo.lab.experiments.constant_rate_rows import (
    ARTICLE,
    CLOSED,
    FLASK,
    OVER,
    OVERLOADS,
    PUBLISHED_RATES,
    SANIC,
    SHARES,
    STOCK,
    THEN,
    rows,
)
from asyncdemo.lab.experiments.entry import Surroundings
from asyncdemo.lab.harness.answers import answer_check
from asyncdemo.lab.harness.contestants import contestant, shared_packages
from asyncdemo.lab.harness.protocol import Condition, Contender, Count, Experiment, Scene, Size
from asyncdemo.lab.results.laws import backlog_s
from asyncdemo.lab.results.setup import Arm, Extent, Loop, Model, Setting
from asyncdemo.lab.servers import PROGRAMS, App, Interface
from asyncdemo.load import Send

__all__ = ["longest_of_backlog", "prepared"]

_SEND: Final = Send("GET", "/")
_TEXT: Final = b"Hello, world!"
_CLIENTS: Final = 50
_P99_S: Final = 7.5
_ASKED: Final = {rate: f"asked-{rate}" for rate in PUBLISHED_RATES}
_SHORT_S: Final = dict.fromkeys(_ASKED.values(), 2.0)
_LONG_S: Final = {_ASKED["2000"]: 6.0, _ASKED["4000"]: 3.0}
"""In a full run. The article had 30 s. Here each request that waits has a connection, and a thread of Flask:
with more than ten thousand of them some are reset."""
_PATIENT_S: Final = 60.0
"""A backlog is waited for to its end: what is given up would have been the longest."""
_QUICK: Final = (CLOSED, _ASKED["2000"], "poisson-70")
_ONLY_FULL: Final = {"poisson-50", "uniform-50", "uniform-70"}


@contextmanager
def prepared(surroundings: Surroundings) -> Iterator[Experiment]:
    conditions = (_closed(), *_published(), *_overloaded(), *_within_capacity())
    every = tuple(condition.setting.name for condition in conditions)
    default = tuple(name for name in every if name not in _ONLY_FULL)
    contenders = tuple(_contenders(surroundings))
    yield Experiment(
        name=ARTICLE,
        title="Hello world at a constant rate",
        contenders=contenders,
        conditions=conditions,
        asked=tuple(rows()),
        article=ARTICLE,
        lesson="open-loop",
        sizes={
            Extent.QUICK: Size(3, 1.5, 0.3, 3, _QUICK, windows_s=_SHORT_S),
            Extent.DEFAULT: Size(7, 2.0, 0.3, 3, default, windows_s=_SHORT_S),
            Extent.FULL: Size(7, 4.0, 0.6, 4, windows_s=_LONG_S),
        },
        twin_of=STOCK,
        packages=shared_packages(item.contestant for item in contenders),
        missing={"wrk2": "in no package registry; the open loop of our own client, uniform as wrk2's"},
        notes=(
            "Under overload there are no percentiles: they would grow with the run.",
            "The article had a second machine for the client; here both are on one.",
        ),
    )


def _contenders(surroundings: Surroundings) -> Iterator[Contender]:
    flask = contestant(
        PROGRAMS["flask-threaded"], App(surroundings.apps / "in_flask.py", Interface.WSGI), FLASK
    )
    sanic = contestant(PROGRAMS["sanic"], App(surroundings.apps / "in_sanic.py", Interface.SANIC), SANIC)
    notes = PROGRAMS["sanic"].notes
    yield Contender(
        Arm(
            FLASK,
            "Flask, threaded",
            Model.THREADS,
            "Flask",
            "Flask's own",
            notes=(f"{THEN}.", *PROGRAMS["flask-threaded"].notes),
        ),
        flask,
    )
    arm = Arm(SANIC, "Sanic on uvloop", Model.COROUTINES, "Sanic", "Sanic's own", notes=notes)
    yield Contender(arm, sanic, {"loop": "uvloop"})
    stock = replace(arm, name=STOCK, title="Sanic on asyncio's loop")
    yield Contender(stock, replace(sanic, name=STOCK), {"loop": "asyncio"})


# -- settings ------------------------------------------------------------------------------------------


def _closed() -> Condition:
    """What each can do."""
    setting = Setting(
        CLOSED, f"{_CLIENTS} clients, a closed loop", Loop.CLOSED, (), clients=_CLIENTS, keep_alive=True
    )
    answer = answer_check(_SEND, _TEXT.decode(), _TEXT.__eq__, headers={"Content-Type": "text/plain"})
    return Condition(setting, (_SEND,), checks=(answer,))


def _open(name: str, title: str, arrivals: str, **more: float) -> Setting:
    return replace(
        Setting(name, title, Loop.OPEN, (), arrivals=arrivals, timeout_s=_PATIENT_S, keep_alive=True),
        **more,  # type: ignore[arg-type]
    )


def _published() -> Iterator[Condition]:
    for rate in PUBLISHED_RATES:
        title = f"{int(rate):,} a second, evenly"
        setting = _open(_ASKED[rate], title, "uniform", rate_per_s=float(rate))
        arms = () if rate == PUBLISHED_RATES[0] else (FLASK, SANIC)
        yield Condition(setting, (_SEND,), arms=arms, counts=_WAITS, warm=False)


def _overloaded() -> Iterator[Condition]:
    for name, lasts_s in OVERLOADS.items():
        title = f"{OVER:g} times what the slowest can do, {lasts_s:g} s"
        setting = _open(name, title, "uniform", of_capacity=OVER, duration_s=lasts_s)
        yield Condition(setting, (_SEND,), arms=(FLASK,), counts=_WAITS, capacity=CLOSED, warm=False)


def _within_capacity() -> Iterator[Condition]:
    for share in SHARES:
        for arrivals, word in (("uniform", "evenly"), ("poisson", "by chance")):
            setting = _open(
                f"{arrivals}-{share}",
                f"{share} % of what the slowest can do, {word}",
                arrivals,
                of_capacity=share / 100,
            )
            if setting.name == "poisson-90":
                setting = replace(setting, duration_s=_P99_S)
            # evenly, at 90 %: only to be compared with itself, by chance
            arms = (FLASK,) if setting.name == "uniform-90" else (FLASK, SANIC)
            yield Condition(setting, (_SEND,), arms=arms, capacity=CLOSED)


def _longest_ms(scene: Scene) -> float:
    return 0.0 if scene.load is None else scene.load.latency_ms.get("100", 0.0)


def longest_of_backlog(scene: Scene) -> float:
    """The longest wait, as a multiple of what the formula says for the run until its last answer.

    Nearly an identity: of answers in the order of their requests it is 1. 0 where there is no backlog.
    """
    load, rate = scene.load, scene.setting.rate_per_s
    if load is None or not load.answered or not rate:
        return 0.0
    said_s = backlog_s(rate, load.answered / load.wall_s, load.wall_s)
    return _longest_ms(scene) / 1000 / said_s if said_s else 0.0


_WAITS: Final = (
    Count("longest_ms", _longest_ms, most=False),
    Count("longest_of_backlog", longest_of_backlog, most=False),
)
