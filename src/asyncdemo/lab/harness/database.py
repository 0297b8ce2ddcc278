"""The lab's PostgreSQL: the one of the lessons, with its films, on the servers' processors.

Apps find it as those of the lessons do: in the environment, as DATABASE_URL. It is not part of any command,
so a password in it never gets into a record.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import psutil

from asyncdemo.errors import MissingError, ServiceError
from asyncdemo.lab.harness.machine import choose_pinning
from asyncdemo.lab.harness.protocol.description import Scene
from asyncdemo.services import Services

_NAME: Final = "DATABASE_URL"
_OLDEST: Final = 140000
"""The first version that counts sessions."""
_ENDS_S, _AGAIN_S = 2.0, 0.02


class LabDatabase:
    """Queries of the running server for experiments. ``words`` names it, with its version."""

    def __init__(self, services: Services, connection: Any) -> None:
        self.url: Final = services.environment[_NAME]
        self.words: Final = services.words["postgres"]
        self._services = services
        self._connection = connection

    def value(self, sql: str) -> float:
        """Return the single figure that the query selects. Raises ServiceError."""
        import psycopg

        try:
            row = self._connection.execute(sql).fetchone()
        except psycopg.Error as error:
            raise ServiceError(self._services.died() or f"PostgreSQL says: {error}") from error
        return float(row[0])

    def sessions(self) -> float:
        """Return the number of sessions ever begun in the films' database, by anyone."""
        return self.value("SELECT sessions FROM pg_stat_database WHERE datname = current_database()")

    def in_flight(self) -> float:
        """Return the number of queries running now, not counting this one."""
        return self.value(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
            "AND state = 'active' AND pid <> pg_backend_pid()"
        )

    def connected(self) -> float:
        """Return the number of open sessions, not counting our own."""
        return self.value(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
            "AND backend_type = 'client backend' AND pid <> pg_backend_pid()"
        )

    def connected_at_most(self, most: float) -> float:
        """Like ``connected``, but if there are more, wait for sessions of a server that has just ended."""
        end_s = time.monotonic() + _ENDS_S
        while (there := self.connected()) > most and time.monotonic() < end_s:
            time.sleep(_AGAIN_S)
        return there

    def reviews(self) -> float:
        """Return the number of committed rows."""
        return self.value("SELECT count(*) FROM review")

    def died(self) -> str:
        """Return a sentence if its server has ended unasked, else ""."""
        return self._services.died() or ""

    def pids(self) -> tuple[int, ...]:
        """Return its processes, for ``Experiment.own_pids``; none if it runs elsewhere."""
        server = self._services.pid("postgres")
        return () if server is None else (server, *_children(server))


class Risen:
    """Counts the rise since the first call for the contestant that is running."""

    def __init__(self, count: Callable[[], float]) -> None:
        self._count = count
        self._started: object = None
        self._from = 0.0

    def __call__(self, scene: Scene) -> float:
        now = self._count()
        if scene.started is not self._started:
            self._started, self._from = scene.started, now
        return now - self._from


@contextmanager
def film_database(say: Callable[[str], None] = lambda _: None) -> Iterator[LabDatabase]:
    """Start the database, and stop it at the end. Raises MissingError and ServiceError."""
    say("starting PostgreSQL")
    with choose_pinning().of_server():
        services = Services(["postgres"])
        services.start()
    try:
        import psycopg  # not before start(), which says what to install

        with psycopg.connect(services.environment[_NAME], autocommit=True) as connection:
            database = LabDatabase(services, connection)
            if connection.info.server_version < _OLDEST:
                raise MissingError(f"The lab needs PostgreSQL 14 or newer; this is {database.words}.")
            with address_of_apps(database.url):
                yield database
    finally:
        services.close()


@contextmanager
def address_of_apps(url: str) -> Iterator[None]:
    """Set the database address for servers that are started meanwhile."""
    before = os.environ.get(_NAME)
    os.environ[_NAME] = url
    try:
        yield
    finally:
        os.environ.pop(_NAME)
        if before is not None:
            os.environ[_NAME] = before


def _children(pid: int) -> tuple[int, ...]:
    """Read them from /proc if possible, which is cheap: this is called several times a second."""
    try:
        return tuple(map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()))
    except OSError:  # not Linux, or it has ended
        try:
            return tuple(child.pid for child in psutil.Process(pid).children())
        except psutil.Error:
            return ()
