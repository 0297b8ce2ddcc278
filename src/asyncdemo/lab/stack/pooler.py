"""pgbouncer in front of PostgreSQL: its configuration, its process, and queries of its state.

A client keeps its session as long as its connection lasts (``pool_mode = session``), and the session is reset
when it is returned, as in the article. Not here: the PostgreSQL behind it (see ``lab.harness.database``).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from asyncdemo.errors import ServiceError
from asyncdemo.lab.harness.launching import Running
from asyncdemo.lab.stack.programs import running
from asyncdemo.services.accounts import account_for_servers
from asyncdemo.serving.ports import HOST

_POOL: Final = "pairs"
"""The database name that it offers."""
_MOST_CLIENTS: Final = 4000
_BACKLOG: Final = 4096
_CONNECT_S: Final = 2
_OURS: Final = ("sv_active", "sv_idle", "sv_used", "sv_tested", "sv_login")
"""Connections to PostgreSQL in any state: each is a session there."""


def pgbouncer_config(
    folder: Path, port: int, address: Mapping[str, str], sessions: int, user: str | None = None
) -> str:
    """``address`` is PostgreSQL's, as libpq parameters. ``user`` is whom it runs as, if started by root."""
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
    """``server`` is its process, ``url`` is for the apps.

    Queries use its own console, which works while all sessions are taken.
    """

    def __init__(self, server: Running, write: Callable[[int], None], console: Any) -> None:
        self.url: Final = f"postgresql://asyncdemo@{HOST}:{server.port}/{_POOL}?sslmode=disable"
        self.server: Final = server
        self._write = write
        self._console = console

    def limit(self, sessions: int) -> None:
        """Set the limit for all clients together, and cut the current ones."""
        self._write(sessions)
        self._ask("RELOAD")
        if self._rows("SHOW POOLS"):
            self._ask(f"KILL {_POOL}")
            self._ask(f"RESUME {_POOL}")

    def allowed(self) -> int:
        return next(int(row["pool_size"]) for row in self._ask("SHOW DATABASES") if row["name"] == _POOL)

    def sessions(self) -> int:
        """Return the number of sessions with PostgreSQL now."""
        return sum(int(row[name]) for row in self._rows("SHOW POOLS") for name in _OURS)

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
            died = self.server.died()
            raise ServiceError(f"pgbouncer {died}." if died else f"pgbouncer says: {error}") from error


@contextmanager
def pgbouncer(program: str, folder: Path, port: int, url: str, sessions: int) -> Iterator[Pooler]:
    """``url`` is PostgreSQL's. Raises ServiceError."""
    import psycopg
    from psycopg.conninfo import conninfo_to_dict

    known = conninfo_to_dict(url)
    address = {
        name: str(known[name]) for name in ("host", "port", "user", "password", "dbname") if known.get(name)
    }
    file, account = folder / "pgbouncer.ini", account_for_servers()

    def write(number: int) -> None:
        text = pgbouncer_config(folder, port, address, number, account.name if account else None)
        new = file.with_suffix(".new")
        new.touch(mode=0o600)  # it may contain a password
        new.write_text(text, encoding="utf-8")
        if account is not None:
            os.chown(new, account.uid, account.gid)
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
        cursor_factory=psycopg.ClientCursor,  # the console supports only the simple protocol
    )


def _quoted(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
