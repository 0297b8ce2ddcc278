"""The first two articles' experiments as descriptions: no published row is missing, every name is there."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from asyncdemo.lab.harness.protocol.description import Asked, Experiment, Scene, When
from asyncdemo.lab.harness.served_app import ServedApp
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


def ratio(asked: Asked) -> float | None:
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


def test_every_chart_of_the_uploads_has_rows(uploads: Experiment) -> None:
    for many in (10, 20, 30, 40, 50):
        assert row(uploads, SANIC, UNTHREADED, f"uploads-{many}", "load.throughput_per_s").published
        assert ratio(row(uploads, THREADED, SANIC, f"uploads-{many}", "load.throughput_per_s")) == 1
    for many in (10, 50):
        for flask in (UNTHREADED, THREADED):
            assert ratio(row(uploads, SANIC, flask, f"calc-{many}", "load.throughput_per_s")) == 1
    for kind in ("virtual", "resident"):
        ahead = row(uploads, SANIC, THREADED, "uploads-50", f"server.most.{kind}_bytes")
        assert (ahead.published is not None) == (kind == "virtual")
        grows = row(uploads, THREADED, THREADED, "uploads-10", f"server.most.{kind}_bytes")
        assert grows.base_setting == "uploads-50"


def test_the_bound_is_five_at_a_time_against_one(uploads: Experiment) -> None:
    asked = row(uploads, SANIC, UNTHREADED, "uploads-50", "load.throughput_per_s")
    assert asked.bound is not None and asked.bound.ratio == pytest.approx(5)
    assert "33.3 per s" in asked.bound.words and "6.7 per s" in asked.bound.words
    time = row(uploads, SANIC, UNTHREADED, "uploads-50", "load.wall_s")
    assert time.bound is not None and time.bound.ratio == pytest.approx(1 / 5)


def test_uploads_are_not_warmed_up_and_drawn_from_one_seed(uploads: Experiment) -> None:
    """Else the contestants of a round would sleep for other durations."""
    for condition in uploads.conditions:
        if condition.setting.name.startswith("uploads"):
            assert not condition.warm and "seed" in condition.knobs
            assert condition.setting.requests == condition.setting.clients
    assert not any("seed" in contestant.knobs for contestant in uploads.contestants)


def test_ab_sends_many_more_requests_than_it_has_clients(uploads: Experiment) -> None:
    """It does not say when it began the last one: with as many as clients Little's law would refuse it."""
    (setting,) = (item.setting for item in uploads.conditions if item.setting.tool == "ab")
    assert setting.clients and setting.requests
    assert setting.clients / 2 / setting.requests < 0.04


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
    for arm, rate, p50, p99 in (
        (TORNADO, 1743.52 / 346.15, 113.87 / 96.45, 128.10 / 289.35),
        (KLEIN, 1635.87 / 346.15, 119.76 / 96.45, 155.28 / 289.35),
        (SANIC, 4907.53 / 346.15, 38.91 / 96.45, 72.22 / 289.35),
    ):
        for flask in (FLASK, "flask-threaded"):
            published = ratio(row(hello, arm, flask, "closed", "load.throughput_per_s"))
            assert published == pytest.approx(rate)
        assert ratio(row(hello, arm, FLASK, "closed", "load.latency_ms.50")) == pytest.approx(p50)
        assert ratio(row(hello, arm, FLASK, "closed", "load.latency_ms.99")) == pytest.approx(p99)


def test_the_row_that_cannot_be_true_is_named(hello: Experiment) -> None:
    for arm in (TORNADO, KLEIN, SANIC):
        asked = row(hello, arm, FLASK, "closed", "load.latency_ms.mean")
        words = " ".join(asked.differs)
        assert "cannot be true" in words and "578 ms" in words and "1,197 timeouts" in words
    tornado = row(hello, TORNADO, FLASK, "closed", "load.latency_ms.mean")
    assert tornado.bound is None, "a bound is what waiting allows"
    assert tornado.published is not None
    assert "by Little's law of the published rates 115 / 578 ms: 0.20" in tornado.published.words
    assert ratio(tornado) == pytest.approx(114.38 / 103.07), "as if Tornado were the slower one"


def test_the_access_log_is_on_in_one_arm(hello: Experiment) -> None:
    commands = {
        contestant.arm.name: contestant.served.command(contestant.knobs)
        for contestant in hello.contestants
        if isinstance(contestant.served, ServedApp)
    }
    assert [name for name, command in commands.items() if "--access-logs" in command] == [LOGGING]
    assert commands[TORNADO].endswith("--loop asyncio") and commands[SANIC].endswith("--loop uvloop")
