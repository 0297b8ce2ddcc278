"""The first two articles' experiments on real servers, as briefly as can be: everything that is looked at
held, and every arm was measured."""

from __future__ import annotations

import pytest

from tests.lab.measuring import brief

pytestmark = pytest.mark.lab


def test_uploads_and_computations() -> None:
    record = brief("flask-and-sanic", "uploads-10", "uploads-50", "calc-10")
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
    by_arm = {trial.arm: trial.load for trial in record.trials}
    for arm in ("tornado", "klein", "sanic", "sanic-logging"):
        load = by_arm[arm]
        assert load is not None and load.connections == 200 and not load.errors
    for arm in ("flask-unthreaded", "flask-threaded"):
        load = by_arm[arm]
        assert load is not None and (load.connections or 0) >= load.answered
