"""The constant rate and the ten thousand connections: every published row asked for."""

from __future__ import annotations

from dataclasses import replace

import pytest

from asyncdemo.lab.experiments import find_experiment
from asyncdemo.lab.harness import Unavailable
from asyncdemo.lab.harness.checks import longest_of_backlog
from asyncdemo.lab.harness.environments import Progress
from asyncdemo.lab.harness.protocol.description import Scene
from asyncdemo.lab.harness.served_app import ServedApp
from asyncdemo.lab.results.laws import littles_latency_ms
from asyncdemo.lab.results.published import load_article
from asyncdemo.lab.results.setup import Loop
from asyncdemo.lab.results.trial import Load
from tests.support.fake_lab import FakeServer, an_arm
from tests.support.lab_experiments import context_for, described, row


def test_every_published_row_is_asked_for() -> None:
    experiment = described("constant-rate")
    settings = {item.setting.name: item.setting for item in experiment.conditions}
    for framework, rate, *_ in load_article("constant-rate").table("results").rows:
        setting = settings[f"asked-{rate}"]
        assert (setting.rate_per_s, setting.arrivals) == (float(rate), "uniform")
        for figure in ("load.throughput_per_s", "load.latency_ms.50", "load.latency_ms.100"):
            asked = row(experiment, "sanic", "flask", setting.name, figure)
            assert framework.lower() in {asked.base, asked.arm}
            assert asked.published is not None and asked.published.ratio and asked.differs


def test_the_formula_is_a_number_and_not_counted_in_any_trial() -> None:
    experiment = described("constant-rate")
    rows = [asked for asked in experiment.rows if asked.figure.key == "counted.longest_of_backlog"]
    assert [(asked.base_value, asked.base_setting) for asked in rows] == [(1.0, "")] * 4
    counting = {item.setting.name for item in experiment.conditions for count in item.counts}
    assert counting == {asked.setting for asked in rows}


@pytest.mark.parametrize(
    ("longest_ms", "answered", "wall_s", "of_backlog"),
    [(2000, 4000, 4.0, 1), (3000, 4000, 4.0, 1.5), (1.0, 4000, 2.0, 0), (1.0, 0, 2.0, 0)],
)
def test_longest_wait_of_requests_served_in_order_is_the_formula(
    longest_ms: float, answered: int, wall_s: float, of_backlog: float
) -> None:
    """4,000 requests in 2 s, 1,000 answers a second: the last comes after 4 s, and was sent after 2."""
    (setting,) = (
        item.setting for item in described("constant-rate").conditions if item.setting.name == "asked-2000"
    )
    load = Load(4000, answered, wall_s, 2.0, 2000, 1000.0, latency_ms={"100": longest_ms})
    scene = Scene(an_arm("flask"), setting, FakeServer("flask").start({}), load)
    assert longest_of_backlog(scene) == pytest.approx(of_backlog)


def test_rate_times_wait_is_what_is_open_at_once() -> None:
    settings = {item.setting.name: item for item in described("ten-thousand").conditions}
    assert settings.keys() == {"at-once-2000", "at-once-10000"}
    for name, item in settings.items():
        setting, connections = item.setting, int(name.removeprefix("at-once-"))
        assert setting.loop is Loop.OPEN and setting.rate_per_s is not None
        assert item.knobs["delay_ms"] == littles_latency_ms(connections, setting.rate_per_s)
        assert setting.duration_s is not None and setting.duration_s * 1000 > float(item.knobs["delay_ms"])


def test_cyclone_has_its_own_environment_and_reports_progress() -> None:
    steps: list[Progress] = []
    entry = find_experiment("ten-thousand")
    assert entry is not None
    with entry.prepared(replace(context_for("ten-thousand"), on_progress=steps.append)) as experiment:
        named = {contestant.arm.name: contestant for contestant in experiment.contestants}
    arm, served = named["cyclone"].arm, named["cyclone"].served
    assert isinstance(served, ServedApp)
    assert not arm.unavailable and served.program.environment == "cyclone"
    assert arm.versions.keys() == {"cyclone", "twisted"} and not named["sanic"].arm.versions
    served.on_progress(Progress("cyclone", 0, 1, "making an environment"))
    assert steps == [Progress("cyclone", 0, 1, "making an environment")]


def test_who_was_named_and_cannot_be_had_stays_a_row() -> None:
    (gone,) = (item for item in described("ten-thousand").contestants if item.arm.unavailable)
    assert gone.arm.name == "japronto" and gone.arm.successor
    with pytest.raises(Unavailable) as caught:
        gone.served.start({})
    assert (caught.value.why, caught.value.successor) == (gone.arm.unavailable, gone.arm.successor)
