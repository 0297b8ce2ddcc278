"""A record of an experiment that nobody has run: made up, to see what readers and pages make of one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import median

from asyncdemo.lab.results.comparison import Better, Bound, Comparison, Published
from asyncdemo.lab.results.flags import Flag, FlagKind
from asyncdemo.lab.results.ratio import Ratio, Reproduction, verdict
from asyncdemo.lab.results.record import FORMAT, Record
from asyncdemo.lab.results.setup import (
    Arm,
    Calibration,
    Environment,
    Extent,
    Loop,
    Model,
    Setting,
    Verification,
)
from asyncdemo.lab.results.trial import Histograms, Load, Memory, Server, System, Trial, TrialOutcome

RATES = {
    "flask": (1900.0, 1880.0, 1910.0, 1850.0, 1930.0, 1905.0, 1890.0),
    "flask-again": (1890.0, 1895.0, 1900.0, 1870.0, 1920.0, 1880.0, 1900.0),
    "tornado": (2100.0, 1860.0, 2050.0, 1830.0, 2100.0, 1900.0, 1950.0),
    "klein": (1300.0, 1280.0, 1290.0, 1310.0, 1270.0, 1300.0, 1290.0),
    "sanic": (9800.0, 9700.0, 9900.0, 9500.0, 9850.0, 9750.0, 9800.0),
}
_MODELS = {"tornado": Model.COROUTINES, "klein": Model.COROUTINES, "sanic": Model.COROUTINES}


def a_trial(arm: str, place: int, rate: float, setting: str = "closed") -> Trial:
    return Trial(
        round=place,
        place=1,
        arm=arm,
        setting=setting,
        started="2026-01-02T03:04:05Z",
        outcome=TrialOutcome.MEASURED,
        load=Load(
            requests=round(rate * 10),
            answered=round(rate * 10),
            wall_s=10.0,
            window_s=10.0,
            answered_in_window=round(rate * 10),
            throughput_per_s=rate,
            statuses={"200": round(rate * 10)},
            latency_ms={"mean": 200_000 / rate, "50": 199_000 / rate, "99": 300_000 / rate},
            client_busy=0.2,
        ),
        server=Server(cpu_s=9.9, processes=1, most=Memory(300_000_000, 40_000_000)),
        system=System(foreign_cpu=0.01),
        histograms=Histograms(latency="HISTFAAAAA"),
    )


def a_comparison(
    arm: str,
    published: float,
    rates: Mapping[str, Sequence[float]] = RATES,
    flags: tuple[Flag, ...] = (),
) -> Comparison:
    ratio = Ratio.of([a / b for a, b in zip(rates[arm], rates["flask"], strict=True)])
    return Comparison(
        name=f"{arm.title()} / Flask",
        figure="load.throughput_per_s",
        title="Requests per second",
        unit="/s",
        better=Better.MORE,
        arm=arm,
        base="flask",
        setting="closed",
        published=Published(f"{published} in the article", published),
        bound=Bound(6.0, "what the waiting allows"),
        measured=ratio,
        arm_median=median(rates[arm]),
        base_median=median(rates["flask"]),
        verdict=verdict(published, ratio),
        differs=("Python 3.11, where it was 2.7",),
        flags=flags,
    )


def a_record(name: str = "four-frameworks", article: str = "four-frameworks") -> Record:
    """Every verdict is in it, an arm that could not be had, and a flag on each level."""
    bare = replace(
        a_comparison("flask-again", 1.0), bound=None, arm_median=None, base_median=None, differs=()
    )
    aa = replace(bare, name="Flask / Flask", published=None, verdict=None)
    gone = replace(
        bare,
        name="Japronto / Flask",
        arm="japronto",
        published=Published("in a comment"),
        measured=None,
        verdict=Reproduction.REFUSED,
        flags=(Flag(FlagKind.NOT_TO_BE_HAD, "Japronto needs Python 3.6.", "Take Granian instead."),),
    )
    no_ranking = Flag(FlagKind.NO_RANKING, "The interval holds 1.", "Measure more rounds.")
    arms = [Arm(name, name.title(), _MODELS.get(name, Model.THREADS), server="its own") for name in RATES]
    arms[1] = replace(arms[1], title="Flask, a second time", twin_of="flask")
    gone_arm = Arm(
        "japronto", "Japronto", Model.COROUTINES, unavailable="Python 3.6 only", successor="Granian"
    )
    return Record(
        format=FORMAT,
        name=name,
        title="Four frameworks, made up",
        asyncdemo="0.0",
        command="a command",
        started="2026-01-02T03:04:05Z",
        ended="2026-01-02T04:04:05Z",
        extent=Extent.DEFAULT,
        rounds=7,
        order_seed=0,
        environment=Environment(
            processor="A processor that nobody makes",
            cores=2,
            memory_bytes=8_000_000_000,
            system="Linux 6.0, x86_64",
            python="CPython 3.11",
            sysctls={"net.core.somaxconn": "4096"},
            packages={"flask": "3.1", "sanic": "25.12"},
            pinning={"client": "1", "server": "0"},
            load_average=0.1,
        ),
        arms=(*arms, gone_arm),
        settings=(
            Setting(
                "closed", "200 connections", Loop.CLOSED, ("GET /",), clients=200, duration_s=10, warm_up_s=3
            ),
        ),
        trials=tuple(
            a_trial(arm, place, rate)
            for arm, rates in RATES.items()
            for place, rate in enumerate(rates, start=1)
        ),
        comparisons=(
            a_comparison("sanic", 4907.53 / 346.15),
            a_comparison("klein", 1635.87 / 346.15),
            a_comparison("tornado", 1743.52 / 346.15, flags=(no_ranking,)),
            gone,
            aa,
        ),
        verifications=(Verification("sanic", "workers", "1", "1", held=True),),
        calibrations=(Calibration("asyncdemo.load", "a null server", {"requests_per_cpu_s": 100_000.0}),),
        article=article,
        flags=(
            Flag(FlagKind.FOREIGN_CPU, "Another program ran in round 3.", "Stop it and measure again.", 0.07),
        ),
        notes=("Nobody has measured this.",),
    )
