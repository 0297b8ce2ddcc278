"""What holds for the description of every experiment: it names only what it has, at every size."""

from __future__ import annotations

from typing import Any

import pytest

from asyncdemo.lab.experiments import EXPERIMENTS
from asyncdemo.lab.harness import Unavailable
from asyncdemo.lab.harness.protocol.description import Experiment
from asyncdemo.lab.results.setup import Extent, Loop
from asyncdemo.lab.results.trial import Load, Memory, Server, System, Trial, TrialOutcome
from asyncdemo.packages import WITHOUT_WHEEL
from tests.support.lab_experiments import described, pairs, quart

GONE = Unavailable("it cannot be installed", "Gunicorn with gevent workers")
EVERY = {entry.name: described(entry.name) for entry in EXPERIMENTS}
EVERY |= {"without eventlet": quart(gone=GONE), "without pgbouncer": pairs({"pgbouncer": "directly"}, None)}

every = pytest.mark.parametrize("experiment", EVERY.values(), ids=EVERY)

ANY_TRIAL = Trial(
    *(1, 1, "", "", "", TrialOutcome.MEASURED),
    load=Load(0, 0, 0.0, 0.0, 0, 0.0),
    server=Server(0.0, 1, Memory(0, 0), Memory(0, 0)),
    system=System(),
)


@every
@pytest.mark.parametrize("extent", Extent)
def test_each_extent_names_what_is_there(experiment: Experiment, extent: Extent) -> None:
    own = experiment.of(extent)
    assert set(experiment.sizes[extent].settings) <= {item.setting.name for item in experiment.conditions}
    arms = {item.arm.name for item in own.contestants}
    settings = {item.setting.name: item.setting for item in own.conditions}
    for item in own.conditions:
        assert any(item.takes(contestant.arm) for contestant in own.contestants)
        if item.capacity or (item.setting.loop is Loop.OPEN and item.setting.rate_per_s is None):
            assert settings[item.capacity].loop is Loop.CLOSED
    assert own.rows
    for row in own.rows:
        assert {row.arm, row.base} <= arms and {row.setting, row.base_setting} <= {"", *settings}
        ANY_TRIAL.figure(row.figure.key)  # raises ValueError if no trial can have it


@every
def test_a_full_run_ranks_all_arms_and_a_quick_one_none(experiment: Experiment) -> None:
    quick, full = experiment.sizes[Extent.QUICK], experiment.sizes[Extent.FULL]
    assert full.rounds == 7 > quick.rounds and not full.arms


@every
def test_nothing_is_named_or_asked_for_twice(experiment: Experiment) -> None:
    settings = [item.setting.name for item in experiment.conditions]
    rows = [(item.arm, item.base, item.setting, item.base_setting, item.figure) for item in experiment.rows]
    for names in (settings, rows):
        assert len(names) == len({*names})


@every
def test_each_arm_has_its_app_and_is_asked_about(experiment: Experiment) -> None:
    arms = {contestant.arm.name for contestant in experiment.contestants}
    asked = {arm for row in experiment.rows for arm in (row.arm, row.base)}
    assert arms == asked
    assert experiment.twin_of in {"", *arms}
    for contestant in experiment.contestants:
        started: Any = contestant.served
        served = getattr(started, "served", started)
        if hasattr(served, "app"):
            assert served.app.is_file()
            named = {*experiment.packages, *served.own_versions}
            assert {*served.program.packages, *served.packages} - {"meinheld"} - WITHOUT_WHEEL <= named
        else:
            assert contestant.arm.unavailable and contestant.arm.successor
