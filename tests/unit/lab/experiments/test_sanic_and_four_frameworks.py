"""The first two articles' experiments as descriptions: no published row is missing, every name is there."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from asyncdemo.lab.harness.protocol.description import Experiment, PlannedRow, Scene, When
from asyncdemo.lab.results.comparison import Better
from asyncdemo.lab.results.published import load_article
from asyncdemo.lab.results.trial import Load
from tests.support.fake_lab import FakeServer, FakeStarted
from tests.support.lab_experiments import described, row

UNTHREADED, THREADED, SANIC = "flask-unthreaded", "flask-threaded", "sanic"
FLASK, TORNADO, KLEIN, LOGGING = UNTHREADED, "tornado", "klein", "sanic-logging"


@pytest.fixture(scope="module")
def uploads() -> Experiment:
    return described("flask-and-sanic")


@pytest.fixture(scope="module")
def hello() -> Experiment:
    return described("four-frameworks")


def ratio(asked: PlannedRow) -> float | None:
    assert asked.published is not None
    return asked.published.ratio


def test_every_published_figure_of_the_uploads_has_a_row(uploads: Experiment) -> None:
    published = load_article("flask-and-sanic").table("uploads")
    assert published.row_names == ("Flask, threaded=False", "Sanic")
    rate = row(uploads, SANIC, UNTHREADED, "uploads-50", "load.throughput_per_s")
    time = row(uploads, SANIC, UNTHREADED, "uploads-50", "load.wall_s")
    assert ratio(rate) == pytest.approx(28.9 / 6.8)
    assert ratio(time) == pytest.approx(1.73 / 7.33)
    assert [rate.figure.better, time.figure.better] == [Better.MORE, Better.LESS]


def test_uploads_are_not_warmed_up_and_drawn_from_one_seed(uploads: Experiment) -> None:
    """Else the contestants of a round would sleep for other durations."""
    for condition in uploads.conditions:
        if condition.setting.name.startswith("uploads"):
            assert not condition.warm and "seed" in condition.knobs
            assert condition.setting.requests == condition.setting.clients
    assert not any("seed" in contestant.knobs for contestant in uploads.contestants)


def scenes(experiment: Experiment, wall_s: float) -> Iterator[tuple[str, bool]]:
    """Of each check after 50 uploads that took so long: its arms, and whether it held."""
    (condition,) = (item for item in experiment.conditions if item.setting.name == "uploads-50")
    load = Load(50, 50, wall_s, 0.01, 0, 50 / wall_s, open_at_once=50)
    started = FakeStarted(FakeServer("any"), 1, 1)
    scene = Scene(experiment.contestants[0].arm, condition.setting, started, load)
    for check in condition.checks:
        if check.when is When.AFTER:
            yield " ".join(check.arms), check.look(scene).held


def test_a_server_that_is_quicker_than_its_gate_is_found_out(uploads: Experiment) -> None:
    draw = random.Random(1)
    drawn_s = [draw.randint(100, 200) / 1000 for _ in range(51)][1:]
    gated = f"{THREADED} {SANIC}"
    just_possible = dict(scenes(uploads, sum(drawn_s) / 5 + 0.01))
    assert just_possible == {"": True, UNTHREADED: False, gated: True}
    assert dict(scenes(uploads, sum(drawn_s) / 5 - 0.01))[gated] is False
    assert dict(scenes(uploads, sum(drawn_s) + 0.01))[UNTHREADED] is True


def test_every_framework_of_the_table_has_its_rows(hello: Experiment) -> None:
    arms = {contestant.arm.framework for contestant in hello.contestants}
    assert set(load_article("four-frameworks").table("results").row_names) == arms
    for arm in (TORNADO, KLEIN, SANIC):
        for flask in (FLASK, "flask-threaded"):
            assert ratio(row(hello, arm, flask, "closed", "load.throughput_per_s"))
        for percent in ("50", "99"):
            assert ratio(row(hello, arm, FLASK, "closed", f"load.latency_ms.{percent}"))
