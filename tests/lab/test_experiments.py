"""The experiments on real servers, as briefly as can be: everything that is looked at held, and every arm was
measured.
"""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator
from dataclasses import replace

import pytest

from asyncdemo.lab.experiments import flask_and_quart
from asyncdemo.lab.harness.database import LabDatabase, film_database
from asyncdemo.lab.harness.protocol.description import Contestant, Experiment
from asyncdemo.lab.results.flags import FlagKind
from asyncdemo.lab.results.record import Record
from asyncdemo.lab.results.trial import Trial, TrialOutcome
from tests.lab.contestants import wait_until_gone
from tests.lab.measuring import brief, kinds, serving
from tests.support.lab_experiments import context_for

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


# -- the constant rate, and many connections at once ------------------------------------------------------


def of(record: Record, arm: str, setting: str) -> Trial:
    (trial,) = (trial for trial in record.trials if (trial.arm, trial.setting) == (arm, setting))
    assert trial.outcome is TrialOutcome.MEASURED, trial.problem
    return trial


def test_rate_that_is_not_kept_has_a_backlog_and_no_percentiles() -> None:
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


def test_longest_wait_beyond_capacity_is_the_backlog() -> None:
    """Four at a time, 20 ms each, in their order; asked for half as much again."""
    settings = ("closed", "over", "over-twice-as-long")

    def known(experiment: Experiment) -> Experiment:
        asked = experiment.rows
        return replace(
            experiment,
            contestants=(serving("flask", delays_ms=20, slots=4),),
            conditions=tuple(
                replace(item, checks=()) for item in experiment.conditions if item.setting.name in settings
            ),
            rows=tuple(row for row in asked if row.arm == row.base == "flask" and row.setting in settings),
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
            rows=tuple(
                replace(row, setting=few.setting.name)
                for row in experiment.rows
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


# -- on PostgreSQL ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def database() -> Iterator[LabDatabase]:
    with film_database() as database:
        yield database
        server, *others = database.pids()
        assert others
    assert wait_until_gone([server, *others]) == []


@pytest.fixture(scope="module", autouse=True)
def surroundings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A cache for eventlet's environment, and a PostgreSQL of our own, whatever is set up here."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        monkeypatch.delenv("ASYNCDEMO_PG_DSN", raising=False)
        yield


def contestant(database: LabDatabase, name: str) -> Contestant:
    experiment = flask_and_quart.described(context_for("flask-and-quart"), database, None)
    return next(item for item in experiment.contestants if item.arm.name == name)


@pytest.mark.parametrize(
    ("name", "stored"),
    [
        ("flask-published", 0),
        ("flask-repaired-eventlet", 12),
        ("flask-repaired", 12),
        ("quart-asyncpg", 12),
        ("quart-alone", 12),
    ],
)
def test_what_becomes_of_twelve_reviews_that_were_answered(
    database: LabDatabase, name: str, stored: int
) -> None:
    before = database.reviews()
    served = contestant(database, name)
    with served.served.start({"pool": 4, **served.knobs}) as server:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
        for rating in range(12):
            review = json.dumps({"film_id": 995, "rating": rating})
            connection.request("POST", "/reviews/", review, {"Content-Type": "application/json"})
            answer = connection.getresponse()
            assert answer.status == 200
            assert json.loads(answer.read()) == {"film_id": 995, "rating": rating}
        connection.close()
    assert database.reviews() - before == stored


def test_flask_and_quart_for_a_moment() -> None:
    record = brief("flask-and-quart", "film", "review")
    asked_for = {(item.arm, item.what, item.asked) for item in record.verifications}
    stores = "rows that a POST /reviews/ stores"
    assert {("flask-published", stores, "0: never committed"), ("quart-asyncpg", stores, "1")} <= asked_for
    made = {
        trial.arm: trial.counted["db_connections_made"] for trial in record.trials if trial.setting == "film"
    }
    assert made["flask-published"] > made["flask-repaired"] == 0
    assert all(trial.counted["answers_500"] == 0 for trial in record.trials)


def test_greenlets_for_a_moment() -> None:
    record = brief("greenlets", "pool-10")
    in_flight = {trial.arm: trial.counted["db_queries_in_flight"] for trial in record.trials}
    assert {in_flight[arm] for arm in ("sync", "gevent", "own-gevent")} == {1}
    assert all(1 < in_flight[arm] <= 10 for arm in ("gevent-psycogreen", "own-gevent-psycogreen"))
