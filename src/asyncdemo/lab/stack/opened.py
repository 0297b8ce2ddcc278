"""The stack, opened: PostgreSQL with the table of the pairs, and what is installed of nginx and pgbouncer.

Ports stay the same while it is open, so neither is started anew for the next contestant: nginx passes
everything on to one port, where whoever is measured listens. Not for: a contestant of it (``stacked``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Final

from asyncdemo.lab.harness.database import Database, address_of_apps, film_database
from asyncdemo.lab.harness.launching import Running
from asyncdemo.lab.harness.machine import find, keep_to, own_processors
from asyncdemo.lab.stack.pooler import Pooler, pgbouncer
from asyncdemo.lab.stack.programs import nginx, port_to_keep, scratch

ROWS: Final = 100_000
_FIRST_SESSIONS: Final = 20
"""Until a contestant says how many it shall have."""
# b is made from a, so an answer can be checked without asking the database.
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
    """port: that the load is sent to. server_port: where contestants listen. Without nginx both are one."""

    database: Database
    port: int
    server_port: int
    pooler: Pooler | None = None
    proxy: Running | None = None
    programs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    processors: frozenset[int] = frozenset()
    """On which the whole of it may run; none where the system cannot say."""
    missing: Mapping[str, str] = field(default_factory=dict)
    """What is not installed -> what is done instead, as ``Experiment.missing`` has them."""

    def pids(self) -> tuple[int, ...]:
        """Of all but the contestant, for ``Experiment.own_pids``."""
        return (
            *self.database.pids(),
            *(self.pooler.pids() if self.pooler else ()),
            *(self.proxy.pids() if self.proxy else ()),
        )

    def limit_sessions(self, sessions: int) -> None:
        """For the next contestant, which begins without any. Raises ServiceError."""
        if self.pooler is not None:
            self.pooler.limit(sessions)

    def sessions(self) -> float:
        """With PostgreSQL, at this moment, without our own. Raises ServiceError."""
        return float(self.pooler.sessions()) if self.pooler else self.database.connected()

    def died(self) -> str:
        """In words, if a part of it has ended unasked."""
        for name, part in (("pgbouncer", self.pooler), ("nginx", self.proxy)):
            if part is not None and (words := part.died()):
                return f"{name} {words}"
        return self.database.died()


@contextmanager
def open_stack(
    say: Callable[[str], None] = lambda _: None, installed: Callable[[str], str | None] = find
) -> Iterator[Stack]:
    """Closed at the end. installed: where a program is. Raises MissingError and ServiceError."""
    there = {name: path for name in _WITHOUT if (path := installed(name))}
    with ExitStack() as parts:
        database = parts.enter_context(film_database(say))
        # On the client's processor, too: that uses little of it, and of two cores the server has only one.
        # What PostgreSQL makes from now on inherits it; nginx and pgbouncer have it from us.
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


def _fill(database: Database) -> None:
    import psycopg

    with psycopg.connect(database.url, autocommit=True) as connection:
        connection.execute(_TABLE)
