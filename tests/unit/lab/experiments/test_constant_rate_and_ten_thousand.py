"""The constant rate and the ten thousand connections: every published row asked for."""

from __future__ import annotations

from dataclasses import replace

import pytest

from asyncdemo.lab.experiments import find_experiment
from asyncdemo.lab.harness import Unavailable
from asyncdemo.lab.harness.checks import longest_of_backlog
from asyncdemo.lab.harness.environments import Progress
from asyncdemo.lab.harness.protocol.description import Scene
from asyncdemo.lab.harness.protocol.lineup import Lineup, Visit
from asyncdemo.lab.harness.served_app import ServedApp
from asyncdemo.lab.results.laws import littles_latency_ms
from asyncdemo.lab.results.published import load_article
from asyncdemo.lab.results.setup import Extent, Loop
from asyncdemo.lab.results.trial import Load
from tests.support.fake_lab import FakeServer, an_arm
from tests.support.lab_experiments import described, surroundings_of


def test_every_published_row_is_asked_for() -> None:
    experiment = described("constant-rate")
    table = load_article("constant-rate").table("results")
    settings = {item.setting.name: item.setting for item in experiment.conditions}
    rows = {(row.setting, row.figure.key): row for row in experiment.asked if row.published is not None}
    figures = ("load.throughput_per_s", "load.latency_ms.50", "load.latency_ms.100")
    for framework, rate, *_ in table.rows:
        setting = settings[f"asked-{rate}"]
        assert (setting.rate_per_s, setting.arrivals) == (float(rate), "uniform")
        for figure in figures:
            row = rows[f"asked-{rate}", figure]
            assert {"Flask": row.base, "Sanic": row.arm}[framework] == framework.lower()
            assert row.published is not None and row.published.ratio and row.differs


def test_the_formula_is_a_number_and_not_counted_in_any_trial() -> None:
    experiment = described("constant-rate")
    rows = [row for row in experiment.asked if row.figure.key == "counted.longest_of_backlog"]
    assert len(rows) == 4
    assert {(row.base_value, row.base_setting) for row in rows} == {(1.0, "")}
    counting = {item.setting.name for item in experiment.conditions for count in item.counts}
    assert counting == {row.setting for row in rows}


def a_scene(longest_ms: float, answered: int, wall_s: float) -> Scene:
    experiment = described("constant-rate")
    (setting,) = (item.setting for item in experiment.conditions if item.setting.name == "asked-2000")
    load = Load(4000, answered, wall_s, 2.0, 2000, 1000.0, latency_ms={"100": longest_ms})
    return Scene(an_arm("flask"), setting, FakeServer("flask").start({}), load)


def test_the_longest_wait_of_who_is_served_in_order_is_the_formula() -> None:
    """4,000 requests in 2 s, 1,000 answers a second: the last comes after 4 s, and was sent after 2."""
    assert longest_of_backlog(a_scene(2000, 4000, 4.0)) == pytest.approx(1)
    assert longest_of_backlog(a_scene(3000, 4000, 4.0)) == pytest.approx(1.5)


def test_without_a_backlog_there_is_no_multiple_of_it() -> None:
    assert longest_of_backlog(a_scene(1.0, 4000, 2.0)) == 0
    assert longest_of_backlog(a_scene(1.0, 0, 2.0)) == 0


def test_rate_times_wait_is_what_is_open_at_once() -> None:
    settings = {item.setting.name: item for item in described("ten-thousand").conditions}
    assert settings.keys() == {"at-once-2000", "at-once-10000"}
    for name, item in settings.items():
        setting, connections = item.setting, int(name.removeprefix("at-once-"))
        assert setting.loop is Loop.OPEN and setting.rate_per_s is not None
        assert item.knobs["delay_ms"] == littles_latency_ms(connections, setting.rate_per_s)
        assert setting.duration_s is not None and setting.duration_s * 1000 > float(item.knobs["delay_ms"])


def test_cyclone_has_an_environment_of_its_own_and_tells_of_it_being_made() -> None:
    told: list[Progress | str] = []
    entry = find_experiment("ten-thousand")
    assert entry is not None
    with entry.prepared(replace(surroundings_of("ten-thousand"), tell=told.append)) as experiment:
        named = {contestant.arm.name: contestant for contestant in experiment.contestants}
    arm, served = named["cyclone"].arm, named["cyclone"].served
    assert isinstance(served, ServedApp)
    assert not arm.unavailable and served.program.environment == "cyclone"
    assert arm.versions.keys() == {"cyclone", "twisted"} and not named["sanic"].arm.versions
    served.tell(Progress("cyclone", 0, 1, "making an environment"))
    assert told == [Progress("cyclone", 0, 1, "making an environment")]


def test_cyclone_whose_environment_cannot_be_made_is_a_row_that_says_why() -> None:
    experiment = described("ten-thousand")
    gone = Visit("cyclone", "at-once-2000", unavailable="no network", successor="Klein")
    lineup = Lineup(experiment, experiment.sizes[Extent.QUICK], (gone,))
    arms = {item.arm.name: lineup.arm(item.arm) for item in experiment.contestants}
    assert (arms["cyclone"].unavailable, arms["cyclone"].versions) == ("no network", {})
    assert {name for name, arm in arms.items() if arm.unavailable} == {"cyclone", "japronto"}


def test_who_was_named_and_cannot_be_had_stays_a_row() -> None:
    named = {contestant.arm.name: contestant for contestant in described("ten-thousand").contestants}
    assert [name for name, contestant in named.items() if contestant.arm.unavailable] == ["japronto"]
    arm = named["japronto"].arm
    assert "3.6" in arm.unavailable and arm.successor
    with pytest.raises(Unavailable) as caught:
        named["japronto"].served.start({})
    assert (caught.value.why, caught.value.successor) == (arm.unavailable, arm.successor)
