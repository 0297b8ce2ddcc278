"""The PostgreSQL of the lab: how apps find it, what it tells of itself, and that its processes are known."""

from __future__ import annotations

import os
from collections.abc import Iterator

import psutil
import psycopg
import pytest

from asyncdemo.errors import ServiceError
from asyncdemo.lab.harness.database import LabDatabase, film_database

WAS_THERE = "postgresql://somebody-elses"


@pytest.fixture(scope="module")
def database() -> Iterator[LabDatabase]:
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.delenv("ASYNCDEMO_PG_DSN", raising=False)
        monkeypatch.setenv("DATABASE_URL", WAS_THERE)
        with film_database() as database:
            yield database
            pids = database.pids()
        assert os.environ["DATABASE_URL"] == WAS_THERE
        assert not any(psutil.pid_exists(pid) for pid in pids)


def test_apps_find_it_in_the_environment(database: LabDatabase) -> None:
    assert os.environ["DATABASE_URL"] == database.url
    with psycopg.connect(os.environ["DATABASE_URL"]) as connection:
        (films,) = connection.execute("SELECT count(*) FROM film").fetchone() or ()
    assert films == 1000


def test_sessions_are_counted_without_our_own(database: LabDatabase) -> None:
    begun = database.sessions()
    assert database.connected_at_most(0) == 0, "those of the test before have ended"
    with psycopg.connect(database.url):
        assert database.connected() == 1
        assert database.in_flight() == 0, "it has nothing to do"
    assert database.connected_at_most(0) == 0
    assert database.sessions() == begun + 1


def test_only_what_is_committed_is_stored(database: LabDatabase) -> None:
    with psycopg.connect(database.url) as connection:
        connection.execute("INSERT INTO review VALUES (995, 4)")
        assert database.reviews() == 0
        connection.commit()
        assert database.reviews() == 1


def test_the_process_of_a_session_is_its_own(database: LabDatabase) -> None:
    with psycopg.connect(database.url) as connection:
        assert connection.info.backend_pid in database.pids()
        assert os.getpid() not in database.pids()


def test_what_it_does_not_understand_is_a_problem_of_the_service(database: LabDatabase) -> None:
    with pytest.raises(ServiceError, match=r"PostgreSQL says: column \"nothing\" does not exist"):
        database.value("SELECT nothing")
