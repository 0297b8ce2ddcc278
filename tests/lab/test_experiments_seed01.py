"""The first two articles' experiments on real servers, as briefly as can be: everything that is looked at
held, and every arm was measured."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from asyncdemo.lab.experiments import Surroundings, find_experiment
from asyncdemo.lab.harness.protocol import Size, run
from asyncdemo.lab.results.record import Record
from asyncdemo.lab.results.record_file import dump_record, parse_record
from asyncdemo.lab.results.setup import Extent
from asyncdemo.lab.results.trial import TrialOutcome
from tests.lab.measuring import undisturbed

pytestmark = pytest.mark.lab

LESSONS = Path(__file__).parents[2] / "lessons"


def brief(name: str, *settings: str) -> Record:
    entry = find_experiment(name)
    assert entry is not None
    (home,) = LESSONS.glob(f"*/*-{entry.home}")
    with entry.prepared(Surroundings(home / "apps")) as experiment:
        sizes = {Extent.QUICK: Size(1, 0.5, 0.2, 2, settings)}
        return run(replace(experiment, sizes=sizes), Extent.QUICK, bench=undisturbed(), seed=1)


def assert_whole(record: Record) -> None:
    assert parse_record(dump_record(record)) == record
    assert [item for item in record.verifications if not item.held] == []
    assert {trial.outcome for trial in record.trials} == {TrialOutcome.MEASURED}
    assert {trial.arm for trial in record.trials} == {arm.name for arm in record.arms}


def test_uploads_and_computations() -> None:
    record = brief("flask-and-sanic", "uploads-10", "uploads-50", "calc-10")
    assert_whole(record)
    for trial in record.trials:
        assert trial.load is not None and set(trial.load.statuses) == {"200"}
        assert trial.load.answered == record.setting(trial.setting).requests
    threads = {
        trial.arm: trial.counted["threads"] for trial in record.trials if trial.setting == "uploads-50"
    }
    assert threads["flask-threaded"] > 40
    assert threads["flask-unthreaded"] < 10
    virtual = {
        row.name: row
        for row in record.comparisons
        if row.figure == "server.most.virtual_bytes" and row.measured is not None
    }
    assert len(virtual) == 3
    threaded = virtual["Flask with threads: 10 uploads against 50"].measured
    assert threaded is not None and threaded.median < 1, "it grows with each thread"


def test_hello_world_from_four_frameworks() -> None:
    record = brief("four-frameworks", "closed")
    assert_whole(record)
    by_arm = {trial.arm: trial.load for trial in record.trials}
    for arm in ("tornado", "klein", "sanic", "sanic-logging"):
        load = by_arm[arm]
        assert load is not None and load.connections == 200 and not load.errors
    for arm in ("flask-unthreaded", "flask-threaded"):
        load = by_arm[arm]
        assert load is not None and (load.connections or 0) >= load.answered
