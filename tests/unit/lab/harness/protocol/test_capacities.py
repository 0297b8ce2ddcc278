"""Rates that follow from what the slowest can do, if measuring that fails or is spoiled."""

from __future__ import annotations

from dataclasses import replace

import pytest

from asyncdemo.lab.harness import NotStarted
from asyncdemo.lab.harness.protocol.description import Condition
from asyncdemo.lab.harness.protocol.running import run
from asyncdemo.lab.results.flags import FlagKind
from asyncdemo.lab.results.record import Record
from asyncdemo.lab.results.setup import Extent, Loop, Setting
from asyncdemo.lab.results.trial import Load
from asyncdemo.load import Plan
from tests.support.fake_lab import CLOSED, SEND, SIZE, FakeServer, a_bench, a_row, an_experiment

HALF = Setting("half", "Half", Loop.OPEN, (), of_capacity=0.5, arrivals="poisson")
MOST = Setting("most", "Most", Loop.OPEN, (), of_capacity=0.9, arrivals="poisson")
SEARCH = Setting("search", "6 ms", Loop.OPEN, (), budget_ms=6.0)


def at_a_share(slow: FakeServer, fast: FakeServer, spoiled: int = 0) -> tuple[Record, list[str], int]:
    """Also the doubts about its rates, and how many windows slow had when it was visited. spoiled: how
    many of them have fast answers that are none.
    """
    windows = 0

    def spoil(load: Load, plan: Plan) -> Load:
        nonlocal windows
        if plan.port != slow.port or slow.starts != 1 or plan.duration_s != SIZE.window_s:
            return load
        windows += 1
        wrong = {"500": 10_000}
        return load if windows > spoiled else replace(load, throughput_per_s=9000, statuses=wrong)

    settings = (CLOSED, HALF, MOST, SEARCH)
    conditions = tuple(
        Condition(one, (SEND,), capacity="" if one is CLOSED else "closed") for one in settings
    )
    asked = (a_row("fast", "slow", "search", "offered_per_s"),)
    bench, _ = a_bench(slow, fast, spoil=spoil)
    experiment = an_experiment(slow, fast, conditions=conditions, asked=asked, size=replace(SIZE, rounds=2))
    record = run(experiment, Extent.DEFAULT, bench=bench, seed=1)
    doubts = [flag.words for flag in record.flags if flag.kind is FlagKind.RATE_DOUBTFUL]
    return record, doubts, windows


@pytest.mark.parametrize("spoiled", [0, 1])
def test_a_spoiled_window_of_the_capacity_is_measured_again(spoiled: int) -> None:
    record, doubts, windows = at_a_share(FakeServer("slow"), FakeServer("fast", [3000.0]), spoiled)
    assert (windows, doubts) == (1 + spoiled, [])
    assert record.setting("half").rate_per_s == 500


def test_capacity_with_both_windows_spoiled_is_noted_and_stays() -> None:
    record, doubts, windows = at_a_share(FakeServer("slow"), FakeServer("fast", [3000.0]), 9)
    assert windows == 2
    assert record.setting("half").rate_per_s == 1500, "the slowest of the two, as it seemed"
    assert doubts == [
        "Half, Most: the rate follows from what the slowest can do, and what Slow can do is in doubt "
        "(100.00% of 10,000 requests failed: 10,000 status 500)."
    ]
    assert all(trial.counts for trial in record.trials if trial.setting in {"closed", "half"})


def test_slowest_and_missing_capacities_are_named_as_such() -> None:
    slow = FakeServer("slow", start_fails={1: NotStarted("no such program")})
    record, (doubt,), _ = at_a_share(slow, FakeServer("fast", [3000.0]))
    assert record.setting("half").rate_per_s == 1500
    assert doubt.endswith("what Slow can do is in doubt (not started: no such program).")
    (flag,) = record.comparisons[0].flags
    assert flag.words == (
        "Slow has no rate here: what it can do was not found out (not started: no such program)."
    )
