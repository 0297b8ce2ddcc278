"""pgbouncer in front of a PostgreSQL: its configuration, pgbouncer with it, and what is asked of it.

A session is a client's for as long as its connection lasts (``pool_mode = session``), and is reset when it
goes back, as in the article. Not for: the PostgreSQL behind it (``lab.harness.database``).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from asyncdemo.errors import ServiceError
from asyncdemo.lab.harness.launching import Running
from asyncdemo.lab.stack.programs import account_name, give, running
from asyncdemo.serving.ports import HOST

_POOL: Final = "pairs"
"""The database that it offers."""
_MOST_CLIENTS: Final = 4000
_BACKLOG: Final = 4096
_CONNECT_S: Final = 2
_OURS: Final = ("sv_active", "sv_idle", "sv_used", "sv_tested", "sv_login")
"""Connections to PostgreSQL, in whichever state: all are sessions there."""


def pgbouncer_config(
    folder: Path, port: int, address: Mapping[str, str], sessions: int, user: str | None = None
) -> str:
    """address: of the PostgreSQL, in libpq's words. user: as whom it runs, if it is started by root."""
    target = " ".join(f"{name}={_quoted(value)}" for name, value in address.items())
    return f"""\
[databases]
{_POOL} = {target} pool_size={sessions}
[pgbouncer]
listen_addr = {HOST}
listen_port = {port}
listen_backlog = {_BACKLOG}
unix_socket_dir =
auth_type = any
admin_users = asyncdemo
pool_mode = session
server_reset_query = DISCARD ALL
max_client_conn = {_MOST_CLIENTS}
ignore_startup_parameters = extra_float_digits
pidfile = {folder}/pgbouncer.pid
log_connections = 0
log_disconnections = 0
stats_period = 3600
{f"user = {user}" if user else ""}
"""


class Pooler:
    """url: for the apps. It is asked over its own console, which answers while all sessions are taken."""

    def __init__(self, server: Running, write: Callable[[int], None], console: Any) -> None:
        self.url: Final = f"postgresql://asyncdemo@{HOST}:{server.port}/{_POOL}?sslmode=disable"
        self._server = server
        self._write = write
        self._console = console

    def limit(self, sessions: int) -> None:
        """From now on, for all clients together; those that there are, are cut."""
        self._write(sessions)
        self._ask("RELOAD")
        if self._rows("SHOW POOLS"):
            self._ask(f"KILL {_POOL}")
            self._ask(f"RESUME {_POOL}")

    def allowed(self) -> int:
        return next(int(row["pool_size"]) for row in self._ask("SHOW DATABASES") if row["name"] == _POOL)

    def sessions(self) -> int:
        """With PostgreSQL, at this moment."""
        return sum(int(row[name]) for row in self._rows("SHOW POOLS") for name in _OURS)

    def pids(self) -> tuple[int, ...]:
        return self._server.pids()

    def died(self) -> str:
        return self._server.died()

    def _rows(self, question: str) -> list[dict[str, Any]]:
        return [row for row in self._ask(question) if row["database"] == _POOL]

    def _ask(self, question: str) -> list[dict[str, Any]]:
        import psycopg

        try:
            cursor = self._console.execute(question)
            if cursor.description is None:
                return []
            names = [column.name for column in cursor.description]
            return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
        except psycopg.Error as error:
            died = self._server.died()
            raise ServiceError(f"pgbouncer {died}." if died else f"pgbouncer says: {error}") from error


@contextmanager
def pgbouncer(program: str, folder: Path, port: int, url: str, sessions: int) -> Iterator[Pooler]:
    """url: of the PostgreSQL. Raises ServiceError."""
    import psycopg
    from psycopg.conninfo import conninfo_to_dict

    known = conninfo_to_dict(url)
    address = {
        name: str(known[name]) for name in ("host", "port", "user", "password", "dbname") if known.get(name)
    }
    file = folder / "pgbouncer.ini"

    def write(number: int) -> None:
        text = pgbouncer_config(folder, port, address, number, account_name())
        new = file.with_suffix(".new")
        new.touch(mode=0o600)  # it may have a password in it
        new.write_text(text, encoding="utf-8")
        give(new)
        os.replace(new, file)

    console: list[Any] = []

    def answers(_: Running) -> bool:
        try:
            console.append(_console(port))
        except psycopg.OperationalError:
            return False
        return True

    write(sessions)
    with running(program, str(file), port=port, folder=folder, ready=answers) as server, console[0]:
        yield Pooler(server, write, console[0])


def _console(port: int) -> Any:
    import psycopg

    return psycopg.connect(
        host=HOST,
        port=port,
        dbname="pgbouncer",
        user="asyncdemo",
        sslmode="disable",
        connect_timeout=_CONNECT_S,
        autocommit=True,
        cursor_factory=psycopg.ClientCursor,  # the console knows the simple protocol only
    )


def _quoted(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
