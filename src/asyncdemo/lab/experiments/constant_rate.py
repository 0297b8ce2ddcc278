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

from asyncdemo.lab.answers import answer_check
from asyncdemo.lab.comparison import Better, Bound, Published
from asyncdemo.lab.contestants import contestant
from asyncdemo.lab.experiment import Arm, Extent, Loop, Model, Setting
from asyncdemo.lab.experiments.entry import Surroundings
from asyncdemo.lab.laws import backlog_s
from asyncdemo.lab.protocol import Asked, Condition, Contender, Count, Experiment, Scene, Size
from asyncdemo.lab.published import load_article
from asyncdemo.lab.servers import PROGRAMS, App, Interface
from asyncdemo.load import Send

__all__ = ["prepared"]

_ARTICLE: Final = "constant-rate"
_SEND: Final = Send("GET", "/")
_TEXT: Final = b"Hello, world!"
_CLIENTS: Final = 50
_OVER: Final = 1.5
"""Times the capacity of the slowest."""
_OVER_S, _ASKED_S, _P99_S = 2.0, 2.0, 6.5
_PATIENT_S: Final = 60.0
"""A backlog is waited for to its end: what is given up would have been the longest."""
_FLASK, _SANIC, _STOCK = "flask", "sanic", "sanic-asyncio"
_MS: Final = "load.latency_ms."
_LONGEST, _OF_FORMULA = "counted.longest_ms", "counted.longest_of_backlog"
_CLOSED, _OVERLOAD, _OVERLOAD_LONG = "closed", "over", "over-twice-as-long"
_OVERLOADS: Final = {_OVERLOAD: _OVER_S, _OVERLOAD_LONG: 2 * _OVER_S}
_SHARES: Final = (50, 70, 90)
_PUBLISHED_RATES: Final = ("2000", "4000")
_QUICK: Final = (_CLOSED, "asked-2000", "poisson-90")
_ONLY_FULL: Final = {"poisson-50", "uniform-50", "uniform-70"}

_IN_BOTH: Final = (
    "30 s there, 2 s here: the longest wait grows with the run",
    "wrk2 had 100 or 200 connections; here each request that waits has one",
)
_THEN: Final = "Flask 0.12 served one request at a time; today's has a thread for each"


@contextmanager
def prepared(surroundings: Surroundings) -> Iterator[Experiment]:
    conditions = (_closed(), *_published(), *_overloaded(), *_within_capacity())
    every = tuple(condition.setting.name for condition in conditions)
    default = tuple(name for name in every if name not in _ONLY_FULL)
    yield Experiment(
        name=_ARTICLE,
        title="Hello world at a constant rate",
        contenders=tuple(_contenders(surroundings)),
        conditions=conditions,
        asked=(*_published_rows(), *_law_rows(), *_loop_rows(), *_latency_rows()),
        article=_ARTICLE,
        lesson="open-loop",
        sizes={
            Extent.QUICK: Size(3, 1.5, 0.3, 3, _QUICK),
            Extent.DEFAULT: Size(7, 2.0, 0.3, 3, default),
            Extent.FULL: Size(7, 8.0, 1.0, 6),
        },
        twin_of=_STOCK,
        packages=("flask", "werkzeug", "sanic", "uvloop"),
        missing={"wrk2": "in no package registry; the open loop of our own client, uniform as wrk2's"},
        notes=(
            "Under overload there are no percentiles: they would grow with the run.",
            "The article had a second machine for the client; here both are on one.",
        ),
    )


def _contenders(surroundings: Surroundings) -> Iterator[Contender]:
    flask = contestant(
        PROGRAMS["flask-threaded"], App(surroundings.apps / "in_flask.py", Interface.WSGI), _FLASK
    )
    sanic = contestant(PROGRAMS["sanic"], App(surroundings.apps / "in_sanic.py", Interface.SANIC), _SANIC)
    notes = PROGRAMS["sanic"].notes
    yield Contender(
        Arm(
            _FLASK,
            "Flask, threaded",
            Model.THREADS,
            "Flask",
            "Flask's own",
            notes=(f"{_THEN}.", *PROGRAMS["flask-threaded"].notes),
        ),
        flask,
    )
    arm = Arm(_SANIC, "Sanic on uvloop", Model.COROUTINES, "Sanic", "Sanic's own", notes=notes)
    yield Contender(arm, sanic, {"loop": "uvloop"})
    stock = replace(arm, name=_STOCK, title="Sanic on asyncio's loop")
    yield Contender(stock, replace(sanic, name=_STOCK), {"loop": "asyncio"})


# -- settings ------------------------------------------------------------------------------------------


def _closed() -> Condition:
    """What each can do. The formula's own value stands here, for rows to be a multiple of it."""
    setting = Setting(
        _CLOSED, f"{_CLIENTS} clients, a closed loop", Loop.CLOSED, (), clients=_CLIENTS, keep_alive=True
    )
    answer = answer_check(_SEND, _TEXT.decode(), _TEXT.__eq__, headers={"Content-Type": "text/plain"})
    formula = Count("longest_of_backlog", lambda _: 1.0, most=False)
    return Condition(setting, (_SEND,), checks=(answer,), counts=(formula,))


def _open(name: str, title: str, arrivals: str, **more: float) -> Setting:
    return replace(
        Setting(name, title, Loop.OPEN, (), arrivals=arrivals, timeout_s=_PATIENT_S, keep_alive=True),
        **more,  # type: ignore[arg-type]
    )


def _published() -> Iterator[Condition]:
    for rate in _PUBLISHED_RATES:
        setting = _open(
            f"asked-{rate}",
            f"{int(rate):,} a second, evenly",
            "uniform",
            rate_per_s=float(rate),
            duration_s=_ASKED_S,
        )
        arms = () if rate == _PUBLISHED_RATES[0] else (_FLASK, _SANIC)
        yield Condition(setting, (_SEND,), arms=arms, counts=_WAITS, warm=False)


def _overloaded() -> Iterator[Condition]:
    for name, lasts_s in _OVERLOADS.items():
        title = f"{_OVER:g} times what the slowest can do, {lasts_s:g} s"
        setting = _open(name, title, "uniform", of_capacity=_OVER, duration_s=lasts_s)
        yield Condition(setting, (_SEND,), arms=(_FLASK,), counts=_WAITS, capacity=_CLOSED, warm=False)


def _within_capacity() -> Iterator[Condition]:
    for share in _SHARES:
        for arrivals, word in (("uniform", "evenly"), ("poisson", "by chance")):
            setting = _open(
                f"{arrivals}-{share}",
                f"{share} % of what the slowest can do, {word}",
                arrivals,
                of_capacity=share / 100,
            )
            if setting.name == "poisson-90":
                setting = replace(setting, duration_s=_P99_S)
            yield Condition(setting, (_SEND,), arms=(_FLASK, _SANIC), capacity=_CLOSED)


def _longest_ms(scene: Scene) -> float:
    return 0.0 if scene.load is None else scene.load.latency_ms.get("100", 0.0)


def _longest_of_backlog(scene: Scene) -> float:
    """The longest wait, as a multiple of what the formula says for the run until its last answer.

    0 where there is no backlog.
    """
    load, rate = scene.load, scene.setting.rate_per_s
    if load is None or not load.answered or not rate:
        return 0.0
    said_s = backlog_s(rate, load.answered / load.wall_s, load.wall_s)
    return _longest_ms(scene) / 1000 / said_s if said_s else 0.0


_WAITS: Final = (
    Count("longest_ms", _longest_ms, most=False),
    Count("longest_of_backlog", _longest_of_backlog, most=False),
)


# -- rows ----------------------------------------------------------------------------------------------


def _published_rows() -> Iterator[Asked]:
    """All four rows of the article: each of Sanic's as a multiple of Flask's at the same rate."""
    table = load_article(_ARTICLE).table("results")
    rows = {(row[0], row[1]): row for row in table.rows}
    for rate in _PUBLISHED_RATES:
        for title, figure, key, unit, better in (
            ("Requests per second", "load.throughput_per_s", "requests_per_s", "/s", Better.MORE),
            ("Median latency", f"{_MS}50", "p50", "ms", Better.LESS),
            ("Longest latency", f"{_MS}100", "latency_max", "ms", Better.LESS),
        ):
            sanic, flask = (
                table.figure(rows[framework, rate], key).value or 0.0 for framework in ("Sanic", "Flask")
            )
            yield Asked(
                name=f"{int(rate):,} a second: {title.lower()}",
                figure=figure,
                title=title,
                unit=unit,
                better=better,
                arm=_SANIC,
                base=_FLASK,
                setting=f"asked-{rate}",
                published=Published(
                    f"{sanic:,.2f} / {flask:,.2f} {unit.replace('/s', 'per s')}", sanic / flask
                ),
                differs=(_THEN, *_IN_BOTH),
            )


def _law_rows() -> Iterator[Asked]:
    """How long the last of a backlog waits."""
    table = load_article(_ARTICLE).table("results")
    for rate in _PUBLISHED_RATES:
        row = next(row for row in table.rows if row[:2] == ("Flask", rate))
        longest_ms, served_per_s, run_s = (
            table.figure(row, key).value or 0.0 for key in ("latency_max", "requests_per_s", "run")
        )
        said_s = backlog_s(float(rate), served_per_s, run_s)
        yield Asked(
            name=f"{int(rate):,} a second: Flask's longest wait, × the formula's",
            figure=_OF_FORMULA,
            title="Longest wait, × (1 − served / asked) × run",
            unit="×",
            better=Better.LESS,
            arm=_FLASK,
            base=_FLASK,
            setting=f"asked-{rate}",
            base_setting=_CLOSED,
            published=Published(
                f"{longest_ms / 1000:.2f} s / (1 − {served_per_s:,.0f} / {int(rate):,}) × {run_s:.0f} s",
                longest_ms / 1000 / said_s,
            ),
            bound=Bound(1.0, "requests answered in their order"),
            differs=("the run lasts until the last answer; wrk2 ends at a time", "the base is the formula"),
        )
    yield Asked(
        name=f"{_OVER:g} × capacity: Flask's longest wait, × the formula's",
        figure=_OF_FORMULA,
        title="Longest wait, × (1 − served / asked) × run",
        unit="×",
        better=Better.LESS,
        arm=_FLASK,
        base=_FLASK,
        setting=_OVERLOAD,
        base_setting=_CLOSED,
        bound=Bound(1.0, "requests answered in their order"),
        differs=("the base is the formula",),
    )
    long_s, short_s = (
        backlog_s(_OVER, 1, _OVER * lasts_s) for lasts_s in (_OVERLOADS[_OVERLOAD_LONG], _OVER_S)
    )
    yield Asked(
        name=f"{_OVER:g} × capacity: a run twice as long",
        figure=_LONGEST,
        title="Longest wait",
        unit="ms",
        better=Better.LESS,
        arm=_FLASK,
        base=_FLASK,
        setting=_OVERLOAD_LONG,
        base_setting=_OVERLOAD,
        bound=Bound(long_s / short_s, f"(1 − 1 / {_OVER:g}) × run: {long_s:g} s / {short_s:g} s"),
    )


def _loop_rows() -> Iterator[Asked]:
    """003's confounder, and what a closed loop sees of the same server."""
    yield Asked(
        name="uvloop alone",
        figure="load.throughput_per_s",
        title="Requests per second",
        unit="/s",
        better=Better.MORE,
        arm=_SANIC,
        base=_STOCK,
        setting=_CLOSED,
    )
    yield Asked(
        name="Sanic without uvloop, against Flask",
        figure="load.throughput_per_s",
        title="Requests per second",
        unit="/s",
        better=Better.MORE,
        arm=_STOCK,
        base=_FLASK,
        setting=_CLOSED,
    )
    yield Asked(
        name="uvloop alone, at 2,000 a second",
        figure=f"{_MS}90",
        title="Latency, 90 %",
        unit="ms",
        better=Better.LESS,
        arm=_SANIC,
        base=_STOCK,
        setting="asked-2000",
    )
    for setting, words in (
        (_OVERLOAD, f"{_OVER:g} × capacity"),
        ("poisson-90", "90 % of capacity, by chance"),
    ):
        yield Asked(
            name=f"Flask, open loop ({words}) / closed loop",
            figure=f"{_MS}mean",
            title="Mean latency",
            unit="ms",
            better=Better.LESS,
            arm=_FLASK,
            base=_FLASK,
            setting=setting,
            base_setting=_CLOSED,
            differs=(
                "the same server; a closed loop waits with it, and so leaves out what it makes others wait",
            ),
        )


def _latency_rows() -> Iterator[Asked]:
    for share in _SHARES:
        for arrivals, word in (("uniform", "evenly"), ("poisson", "by chance")):
            percents = ("50", "90", "99") if f"{arrivals}-{share}" == "poisson-90" else ("50", "90")
            for percent in percents:
                yield Asked(
                    name=f"{share} % of capacity, {word}: {percent} %",
                    figure=f"{_MS}{percent}",
                    title=f"Latency, {percent} %",
                    unit="ms",
                    better=Better.LESS,
                    arm=_SANIC,
                    base=_FLASK,
                    setting=f"{arrivals}-{share}",
                )
    yield Asked(
        name="Flask at 90 % of capacity: by chance / evenly",
        figure=f"{_MS}90",
        title="Latency, 90 %",
        unit="ms",
        better=Better.LESS,
        arm=_FLASK,
        base=_FLASK,
        setting="poisson-90",
        base_setting="uniform-90",
    )
