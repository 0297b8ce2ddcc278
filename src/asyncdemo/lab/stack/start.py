"""The running stack: PostgreSQL with the table of the pairs, and nginx and pgbouncer if installed.

Ports stay the same while it is open, so neither needs a restart for the next contestant: nginx forwards
everything to one port, where the current contestant listens.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Final

from asyncdemo.lab.harness.database import LabDatabase, address_of_apps, film_database
from asyncdemo.lab.harness.launching import Running
from asyncdemo.lab.harness.machine import find, keep_to, own_processors
from asyncdemo.lab.stack.programs import Pooler, nginx, pgbouncer, port_to_keep, scratch

ROWS: Final = 100_000
_FIRST_SESSIONS: Final = 20
"""Until a contestant sets its limit."""
# b is derived from a, so an answer can be checked without querying the database.
_TABLE: Final = f"""
DROP TABLE IF EXISTS pair;
CREATE TABLE pair (a integer PRIMARY KEY, b text NOT NULL);
INSERT INTO pair SELECT a, md5(a::text) FROM generate_series(1, {ROWS}) AS a;
ANALYZE pair
"""
_WITHOUT: Final = {
    "pgbouncer": (
        "Each request opens a session with PostgreSQL itself, which makes a process for it; "
        "nothing limits how many there are."
    ),
    "nginx": "The load goes to the server itself, which meets the clients' connections one by one.",
}


@dataclass(frozen=True)
class Stack:
    """The load goes to ``port``; contestants listen on ``server_port``. Without nginx, they are the same."""

    database: LabDatabase
    port: int
    server_port: int
    pooler: Pooler | None = None
    proxy: Running | None = None
    programs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    processors: frozenset[int] = frozenset()
    """Where all of it may run; empty if the system cannot say."""
    missing: Mapping[str, str] = field(default_factory=dict)
    """What is not installed -> what is done instead, for ``Experiment.missing``."""

    @property
    def words(self) -> str:
        """What a request does at the database, for the notes of a record."""
        table = f"a table of {ROWS:,} rows, its query one row by its key and a pg_sleep."
        return f"{self.database.words}; {table}"

    def pids(self) -> tuple[int, ...]:
        """Return all processes except the contestant's, for ``Experiment.own_pids``."""
        return (*self.database.pids(), *(pid for _, part in self._parts() for pid in part.pids()))

    def limit_sessions(self, sessions: int) -> None:
        """Set the limit for the next contestant, which starts without sessions. Raises ServiceError."""
        if self.pooler is not None:
            self.pooler.limit(sessions)

    def sessions(self) -> float:
        """Return the number of sessions with PostgreSQL now, without our own. Raises ServiceError."""
        return float(self.pooler.sessions()) if self.pooler else self.database.connected()

    def died(self) -> str:
        """Describe a part that has ended unasked; "" if none has."""
        for name, part in self._parts():
            if words := part.died():
                return f"{name} {words}"
        return self.database.died()

    def _parts(self) -> Iterator[tuple[str, Running]]:
        if self.pooler is not None:
            yield "pgbouncer", self.pooler.server
        if self.proxy is not None:
            yield "nginx", self.proxy


@contextmanager
def open_stack(
    say: Callable[[str], None] = lambda _: None, installed: Callable[[str], str | None] = find
) -> Iterator[Stack]:
    """Close it at the end. ``installed`` returns a program's path. Raises MissingError and ServiceError."""
    there = {name: path for name in _WITHOUT if (path := installed(name))}
    with ExitStack() as parts:
        database = parts.enter_context(film_database(say))
        # Also use the client's processor: the client needs little of it, and of two cores the server has only
        # one. New PostgreSQL processes inherit this from the server; nginx and pgbouncer inherit it from us.
        keep_to(own_processors(), database.pids())
        say("filling the table")
        _fill(database)
        folder = parts.enter_context(scratch())
        pooler = proxy = None
        if "pgbouncer" in there:
            say("starting pgbouncer")
            pooler = parts.enter_context(
                pgbouncer(there["pgbouncer"], folder, port_to_keep(), database.url, _FIRST_SESSIONS)
            )
            parts.enter_context(address_of_apps(pooler.url))
        server_port = port = port_to_keep()
        if "nginx" in there:
            say("starting nginx")
            port = port_to_keep()
            proxy = parts.enter_context(nginx(there["nginx"], folder, port, server_port))
        yield Stack(
            database,
            port,
            server_port,
            pooler,
            proxy,
            {name: (path, "-v" if name == "nginx" else "--version") for name, path in there.items()},
            own_processors(),
            {name: words for name, words in _WITHOUT.items() if name not in there},
        )


def _fill(database: LabDatabase) -> None:
    import psycopg

    with psycopg.connect(database.url, autocommit=True) as connection:
        connection.execute(_TABLE)
