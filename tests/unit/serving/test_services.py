"""Sessions with services around them: they are reached, as freshly seeded, kept, and missed when they die."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from asyncdemo.errors import MissingError
from asyncdemo.model import RunOutcome
from asyncdemo.recording.output_buffer import OutputBuffer
from asyncdemo.recording.runner import Target
from asyncdemo.services import Services
from asyncdemo.serving import RunContext, ServiceCache, Session
from asyncdemo.serving import service_cache as keeping
from tests.hostile.traced import until
from tests.unit.serving.staging import options, plan, run_session, script

ENVIRONMENT = {"ASYNCDEMO_REDIS": "embedded"}

COUNTS = """
import os
import redis

REDIS_URL = os.environ.get("REDIS_URL", "redis://127.0.0.1:6379/0")


def count():
    with redis.Redis.from_url(REDIS_URL) as client:
        return client.incr("visits")


print("visits", count(), count())
"""

SERVES = """
import os
import redis
from flask import Flask

app = Flask("counter")
client = redis.Redis.from_url(os.environ["REDIS_URL"], retry=None)


@app.post("/upload")
def upload():
    return {"visits": client.incr("visits")}


if __name__ == "__main__":
    app.run(host="127.0.0.1", port=int(os.environ["PORT"]), threaded=False)
"""


@pytest.fixture(scope="module")
def services() -> Iterator[Services]:
    with Services(("redis",), ENVIRONMENT) as running:
        yield running


def test_script_finds_its_fresh_service_in_the_environment(tmp_path: Path, services: Services) -> None:
    file = script(tmp_path, COUNTS)
    for _ in range(2):
        output = OutputBuffer()
        run = run_session(file, RunContext(services), output=output, lanes=("count",))
        assert (run.outcome, output.stdout) == (RunOutcome.OK, "visits 1 2\n"), output.text
        assert len(run.lanes) == 2 and not run.requests


def test_a_server_with_a_service(tmp_path: Path, services: Services) -> None:
    context = RunContext(services, plan(requests=5, clients=1, keep_answers=100))
    with closing(Session(Target(str(script(tmp_path, SERVES))), options(), context)) as session:
        session.start()
        session.go()
        while session.poll(0.02):
            pass
        assert [answer.body.strip() for answer in session.answers] == [
            b'{"visits":%d}' % visits for visits in range(1, 6)
        ]


def test_service_that_dies_in_mid_run_is_reported(tmp_path: Path) -> None:
    text = SERVES.replace('"visits": client', '"visits": __import__("time").sleep(0.02) or client')
    with Services(("redis",), ENVIRONMENT) as services:
        killed: list[float] = []

        def kill_it(session: Session) -> None:
            if not killed and len(session.result().requests) > 10:
                killed.append(time.monotonic())
                services.kill("redis")

        run = run_session(script(tmp_path, text), RunContext(services, plan(requests=60, clients=2)), kill_it)
        death = services.died()
    assert death is not None and death in run.notes
    statuses = [request.status for request in run.requests]
    assert statuses.count(200) > 5 and statuses.count(500) > 5
    assert len(run.requests) == 60


def test_run_whose_service_had_died_says_so_and_others_survive(tmp_path: Path) -> None:
    with Services(("redis",), ENVIRONMENT) as services:
        first = run_session(script(tmp_path, COUNTS), RunContext(services), lanes=("count",))
        services.kill("redis")
        assert until(lambda: services.died() is not None)
        second = run_session(script(tmp_path, SERVES), RunContext(services, plan()))
    assert first.outcome is RunOutcome.OK and second.outcome is RunOutcome.FAILED
    assert second.notes[0].startswith("Not run: ") and not second.lanes
    assert "Redis" in second.notes[0]


# -- kept --------------------------------------------------------------------------------------------


def test_services_stay_between_two_who_ask_for_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASYNCDEMO_REDIS", "embedded")
    with ServiceCache() as service_cache:
        service_cache.begin(["redis"])
        first = service_cache.get(["redis"])
        assert first is not None and service_cache.get(["redis"]) is first
        first.kill("redis")
        assert until(lambda: first.died() is not None)
        second = service_cache.get(["redis"])
        assert second is not None and second is not first and second.died() is None
        assert second.environment != first.environment


def test_abandoned_wait_gets_nothing_and_the_service_starts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Slow(Services):
        def start(self) -> None:
            time.sleep(0.3)

    monkeypatch.setattr(keeping, "Services", Slow)
    with ServiceCache() as service_cache:
        assert service_cache.get(["redis"], lambda: False) is None
        assert service_cache.get(["redis"]) is not None


def test_why_a_service_cannot_be_started_is_raised_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    class Missing(Services):
        def start(self) -> None:
            raise MissingError("Install it: pip install tea")

    monkeypatch.setattr(keeping, "Services", Missing)
    with ServiceCache() as service_cache:
        for _ in range(2):
            with pytest.raises(MissingError, match="pip install tea"):
                service_cache.get(["redis"])
