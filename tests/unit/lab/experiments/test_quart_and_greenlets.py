"""Two experiments as data: every published row is asked for, and the bounds are arithmetic."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from asyncdemo.lab.experiments import greenlets
from asyncdemo.lab.harness import Unavailable
from asyncdemo.lab.harness.database import Risen
from asyncdemo.lab.harness.protocol.description import Experiment, Scene, When
from asyncdemo.lab.results.comparison import Bound
from asyncdemo.lab.results.laws import bound_per_s, littles_latency_ms
from asyncdemo.lab.results.trial import Load
from tests.support.fake_lab import FakeServer, FakeStarted
from tests.support.lab_experiments import FakeDatabase, green, quart

RATE, LATENCY = "load.throughput_per_s", "load.latency_ms.mean"
GONE = Unavailable("it cannot be installed", "Gunicorn with gevent workers")


# -- Flask and Quart ---------------------------------------------------------------------------------------


def published(experiment: Experiment, base: str) -> set[tuple[str, str]]:
    """Setting and figure of the rows with a published ratio."""
    rows = (row for row in experiment.rows if (row.arm, row.base) == ("quart-asyncpg", base))
    return {(row.setting, row.figure.key) for row in rows if row.published and row.published.ratio}


@pytest.mark.parametrize(
    ("base", "gone"),
    [("flask-published", None), ("flask-repaired", None), ("flask-published-gevent", GONE)],
)
def test_each_published_figure_is_asked_for_against_each_flask(base: str, gone: Unavailable | None) -> None:
    routes = ("film", "films", "review")
    assert published(quart(gone=gone), base) == {(route, key) for route in routes for key in (RATE, LATENCY)}


def test_without_eventlet_its_rows_say_so_beside_gevents() -> None:
    arms = {contestant.arm.name: contestant.arm for contestant in quart(gone=GONE).contestants}
    there = {contestant.arm.name: contestant.arm for contestant in quart().contestants}
    gone = arms["flask-published"]
    assert (gone.unavailable, gone.successor, gone.versions) == (GONE.why, GONE.successor, {})
    assert there["flask-published"].versions["gunicorn"] == "25.3.0"
    assert not arms["flask-published-gevent"].unavailable and "flask-published-gevent" not in there
    lost = {*quart().rows} - {*quart(gone=GONE).rows}
    assert all(row.name.startswith("Flask repaired and") for row in lost)


def scene(experiment: Experiment, arm: str) -> Scene:
    contestant = next(item for item in experiment.contestants if item.arm.name == arm)
    started = FakeStarted(FakeServer(arm), 1, 1)
    return Scene(contestant.arm, experiment.conditions[0].setting, started)


@pytest.mark.parametrize(
    ("arm", "open_before", "made", "held"),
    [
        ("flask-published", 1, 400, (True, True)),
        ("flask-published", 20, 20, (False, False)),
        ("flask-repaired", 20, 0, (True, True)),
        ("flask-repaired", 1, 21, (False, False)),
        ("quart-asyncpg", 1, 19, (True, True)),
        ("quart-alone", 0, 20, (False, True)),
    ],
)
def test_connections_made_under_load_are_as_the_pool_says(
    arm: str, open_before: int, made: int, held: tuple[bool, bool]
) -> None:
    database = FakeDatabase()
    database.made = 1000
    database.open = open_before
    experiment = quart(database)
    seen = scene(experiment, arm)
    checks = [
        check
        for check in experiment.conditions[0].checks
        if check.what.startswith("connections") and arm in check.arms
    ]
    before, after = checks
    assert (before.when, after.when) == (When.READY, When.AFTER)
    first = before.look(seen)
    database.made += made
    load = Load(1000, 1000, 1.0, 1.0, 1000, 1000.0)
    found = after.look(replace(seen, load=load))
    assert (first.held, found.held) == held
    assert found.words == f"{made} for 1,000 requests"


def test_count_rises_from_each_servers_first_value() -> None:
    figures: Iterator[float] = iter([100, 130, 135, 135, 200])
    risen = Risen(lambda: next(figures))
    experiment = quart()
    one, other = scene(experiment, "flask-published"), scene(experiment, "flask-published")
    assert [risen(one), risen(one), risen(one), risen(other), risen(other)] == [0, 30, 35, 0, 65]


# -- greenlets -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arm", "running", "held"),
    [
        ("gevent", 1, True),
        ("gevent", 2, False),
        ("sync", 0, False),
        ("gevent-psycogreen", 10, True),
        ("gevent-psycogreen", 1, False),
        ("own-gevent-psycogreen", 11, False),
    ],
)
def test_stated_number_of_queries_is_really_in_flight(
    arm: str, running: int, held: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(greenlets, "_LOOK_S", 0)
    database = FakeDatabase()
    database.running = running
    experiment = green(database)
    (check,) = (
        check for check in experiment.conditions[0].checks if check.when is When.LOADED and arm in check.arms
    )
    seen = check.look(scene(experiment, arm))
    assert (seen.held, seen.words) == (held, f"{running}")


def test_the_bounds_that_stand_in_the_file_are_those_of_the_laws() -> None:
    """One query at a time, or as many as there are connections."""
    experiment = green()
    knobs = {item.setting.name: item.knobs for item in experiment.conditions}
    for asked in experiment.rows:
        pool, clients = int(knobs[asked.setting]["pool"]), 20
        sides = [pool if arm.endswith("psycogreen") else 1 for arm in (asked.arm, asked.base)]
        rates = [bound_per_s(20, clients=clients, slots=slots) for slots in sides]
        values = rates
        words = [f"{many} / 20 ms = {rate:,.0f} per s" for many, rate in zip(sides, rates, strict=True)]
        if asked.figure.key == LATENCY:
            values = [littles_latency_ms(clients, rate) for rate in rates]
            words = [
                f"20 clients / {r:,.0f} per s = {ms:,.0f} ms" for r, ms in zip(rates, values, strict=True)
            ]
        elif asked.figure.key != RATE:
            words = [f"{sides[0]}", f"{sides[1]}: of 20 clients and {pool} connections the fewer"]
            values = [float(slots) for slots in sides]
        assert asked.bound == Bound(values[0] / values[1], " and ".join(words))
