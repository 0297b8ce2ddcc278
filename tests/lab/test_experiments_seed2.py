"""The experiments on PostgreSQL, for real and very briefly: what the apps do there, and a record of each."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator

import pytest

from asyncdemo.lab.experiments import flask_and_quart
from asyncdemo.lab.harness.database import Database, film_database
from asyncdemo.lab.harness.protocol.description import Contestant
from tests.lab.contestants import wait_until_gone
from tests.lab.measuring import brief
from tests.support.lab_experiments import surroundings_of

pytestmark = pytest.mark.lab


@pytest.fixture(scope="module")
def database() -> Iterator[Database]:
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


def contestant(database: Database, name: str) -> Contestant:
    experiment = flask_and_quart.described(surroundings_of("flask-and-quart"), database, None)
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
    database: Database, name: str, stored: int
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
