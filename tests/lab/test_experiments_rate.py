"""The constant rate and many connections at once, on real servers, shortly."""

from __future__ import annotations

from dataclasses import replace

import pytest

from asyncdemo.lab.harness.protocol.description import Experiment
from asyncdemo.lab.results.flags import FlagKind
from asyncdemo.lab.results.record import Record
from asyncdemo.lab.results.trial import Trial, TrialOutcome
from tests.lab.measuring import brief, kinds, serving

pytestmark = pytest.mark.lab


def of(record: Record, arm: str, setting: str) -> Trial:
    (trial,) = (trial for trial in record.trials if (trial.arm, trial.setting) == (arm, setting))
    assert trial.outcome is TrialOutcome.MEASURED, trial.problem
    return trial


def test_a_rate_that_is_not_kept_has_a_backlog_and_no_percentiles() -> None:
    record = brief("constant-rate", "closed", "over", "over-twice-as-long")
    assert {trial.arm for trial in record.trials if trial.setting == "closed"} == {
        *("flask", "sanic", "sanic-asyncio", "sanic-asyncio-again")
    }
    loops = {
        arm.name: arm.commands["*"].rpartition("--loop ")[2] for arm in record.arms if arm.name != "flask"
    }
    assert loops["sanic"] == "uvloop" and loops["sanic-asyncio"] == "asyncio"
    short, twice = (of(record, "flask", name) for name in ("over", "over-twice-as-long"))
    for trial in (short, twice):
        assert trial.load is not None
        assert trial.load.answered == trial.load.requests, "late is not lost"
        assert trial.counted["longest_ms"] == trial.load.latency_ms["100"]
        assert (trial.counted["longest_of_backlog"] > 0) == (trial.counted["longest_ms"] > 0)
    rows = {row.name: row for row in record.comparisons}
    assert rows["uvloop alone"].measured is not None
    assert "2,000 a second: median latency" not in rows, "it was not measured"


def test_of_who_takes_two_hundred_a_second_the_longest_wait_is_the_backlog() -> None:
    """Four at a time, 20 ms each, in their order; asked for half as much again."""
    settings = ("closed", "over", "over-twice-as-long")

    def known(experiment: Experiment) -> Experiment:
        asked = experiment.asked
        return replace(
            experiment,
            contestants=(serving("flask", delays_ms=20, slots=4),),
            conditions=tuple(
                replace(item, checks=()) for item in experiment.conditions if item.setting.name in settings
            ),
            asked=tuple(row for row in asked if row.arm == row.base == "flask" and row.setting in settings),
        )

    record = brief("constant-rate", *settings, change=known)
    for name in settings[1:]:
        trial = of(record, "flask", name)
        assert FlagKind.OVERLOADED in kinds(trial)
        assert trial.counted["longest_of_backlog"] == pytest.approx(1, rel=0.2)
    found = {row.name: row.measured for row in record.comparisons}
    assert found["1.5 × capacity, 2 s: Flask's longest wait, × the formula's"] is not None
    twice = found["1.5 × capacity: a run twice as long"]
    assert twice is not None and twice.median == pytest.approx(2, rel=0.3)


def test_five_hundred_connections_are_open_at_once() -> None:
    def fewer(experiment: Experiment) -> Experiment:
        many = experiment.conditions[0]
        assert many.setting.name == "at-once-2000" and many.knobs["delay_ms"] == 2000
        few = replace(many, setting=replace(many.setting, name="at-once-500", rate_per_s=250, duration_s=3.0))
        arms = {"flask", "sanic", "cyclone", "japronto"}
        return replace(
            experiment,
            contestants=tuple(item for item in experiment.contestants if item.arm.name in arms),
            conditions=(few,),
            asked=tuple(
                replace(row, setting=few.setting.name)
                for row in experiment.asked
                if row.setting == "at-once-10000" and row.arm in arms - {"sanic"}
            ),
        )

    record = brief("ten-thousand", change=fewer)
    for arm in ("flask", "sanic", "cyclone"):
        trial = of(record, arm, "at-once-500")
        assert trial.load is not None and trial.server is not None
        assert (trial.load.requests, trial.load.answered, trial.load.errors) == (750, 750, {})
        assert trial.load.open_at_once is not None and trial.load.open_at_once >= 490
        assert 490 <= trial.counted["connections"] <= 750
        assert trial.counted["bytes_per_connection"] > 0
        assert trial.load.latency_ms["0"] >= 1990, "the knob took effect"
    looked_at = {(item.arm, item.what) for item in record.verifications}
    assert looked_at >= {("flask", "open files allowed"), ("sanic", "GET /later"), ("cyclone", "GET /later")}
    assert record.arm("cyclone").versions["cyclone"] == "1.3"
    gone = [row for row in record.comparisons if row.arm == "japronto"]
    assert len(gone) == 4
    for row in gone:
        assert row.measured is None and FlagKind.NOT_TO_BE_HAD in {flag.kind for flag in row.flags}
